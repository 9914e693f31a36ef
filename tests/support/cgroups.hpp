// The control groups that tests look at, as folders.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/cgroup_files.hpp"
#include "host/runtime_folder.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

namespace cellblock::test {

inline std::vector<std::string> folders_in(const std::string& parent) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code none;
    if (entry->is_directory(none)) paths.push_back(entry->path().string());
  }
  return paths;
}

/// Every folder that may hold executors' groups: this process's own in each hierarchy and, for v2,
/// the one above.
inline std::vector<std::string> parents_of_executors() {
  const auto view = host::CgroupView::of_this_process();
  std::vector<std::string> parents;
  for (const char* controller : {"memory", "pids", "cpu", "cpuacct", ""}) {
    const auto own = host::find_own_cgroup(view, controller);
    if (!own) continue;
    parents.push_back(own->path);
    if (*controller == '\0' && own->path != own->mount_point) {
      parents.push_back(std::filesystem::path(own->path).parent_path().string());
    }
  }
  return parents;
}

/// This user's executors' groups, in every hierarchy.
inline std::vector<std::string> groups_of_executors() {
  std::vector<std::string> groups;
  for (const std::string& parent : parents_of_executors()) {
    for (const std::string& path : folders_in(parent)) {
      const std::string name = std::filesystem::path(path).filename().string();
      if (name.starts_with(host::executor_prefix())) groups.push_back(path);
    }
  }
  return groups;
}

inline std::vector<pid_t> processes_in(const std::string& group) {
  std::vector<pid_t> pids;
  std::ifstream file(group + "/cgroup.procs");
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

/// Groups, in every hierarchy, that hold a process below `ancestor`.
inline std::vector<std::string> groups_of_sessions_below(pid_t ancestor) {
  const auto descendants = descendants_of(ancestor);
  std::vector<std::string> found;
  for (const std::string& executor : groups_of_executors()) {
    for (const std::string& session : folders_in(executor)) {
      const auto pids = processes_in(session);
      if (std::any_of(pids.begin(), pids.end(),
                      [&](pid_t pid) { return descendants.count(pid) > 0; })) {
        found.push_back(session);
      }
    }
  }
  return found;
}

/// A counter of whichever of the groups has it.
inline std::optional<std::uint64_t> counter(const std::vector<std::string>& groups,
                                            const std::string& file, std::string_view key) {
  for (const std::string& group : groups) {
    if (const auto value = host::value_of(read_file(group + "/" + file), key)) return value;
  }
  return std::nullopt;
}

}  // namespace cellblock::test

#include "host/cgroup_v2.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace cellblock::host {
namespace {

constexpr std::array kControllers{CgroupController::memory, CgroupController::pids,
                                  CgroupController::cpu};

bool may_write(const std::string& folder, const char* file) {
  return ::access((folder + "/" + file).c_str(), W_OK) == 0;
}

/// systemd's mark on what a unit with Delegate=yes may manage itself.
bool is_marked_delegated(const std::string& folder) {
  for (const char* name : {"user.delegate", "trusted.delegate"}) {
    char mark = 0;
    if (::getxattr(folder.c_str(), name, &mark, 1) == 1 && mark == '1') return true;
  }
  return false;
}

/// Root may write everywhere, so that alone says nothing: the group above ours is for us to manage
/// when it is marked, when it was handed to an ordinary user, or when it is all that can be seen,
/// as in a container.
bool is_delegated(const std::string& folder, const std::string& mount_point) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return false;
  return folder == mount_point || status.st_uid != 0 || is_marked_delegated(folder);
}

/// Which controllers the groups below `folder` have, after asking for those that they lack.
std::vector<CgroupController> hand_down(int folder) {
  std::vector<CgroupController> given;
  for (const auto controller : kControllers) {
    const auto enabled = read_text(folder, "cgroup.subtree_control");
    if ((enabled && has_word(*enabled, to_string(controller))) ||
        write_text(folder, "cgroup.subtree_control", "+" + std::string(to_string(controller)))) {
      given.push_back(controller);
    }
  }
  return given;
}

/// The executor's folder in `parent`, and what its sessions' groups have of controllers.
std::optional<std::pair<CgroupFolder, std::vector<CgroupController>>> try_parent(
    const std::string& parent, const std::string& name, std::vector<std::string>& problems) {
  if (!may_write(parent, "cgroup.procs") || !may_write(parent, "cgroup.subtree_control")) {
    problems.push_back(parent + " is not delegated to this user");
    return std::nullopt;
  }
  const base::UniqueFd parent_fd(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (hand_down(parent_fd.get()).empty()) {
    problems.push_back(parent + " hands no controller down (" + std::strerror(errno) + ")");
    return std::nullopt;
  }
  auto folder = CgroupFolder::create(parent, name);
  if (!folder) {
    problems.push_back("a group " + folder.error().message);
    return std::nullopt;
  }
  auto controllers = hand_down(folder->fd());
  if (controllers.empty()) {
    problems.push_back(folder->path() + " hands no controller down (" + std::strerror(errno) + ")");
    return std::nullopt;
  }
  return std::pair(*std::move(folder), std::move(controllers));
}

}  // namespace

CgroupPlaces find_places_v2(const CgroupView& view, const std::string& name,
                            std::vector<std::string>& problems) {
  CgroupPlaces places;
  const auto own = find_own_cgroup(view, "");
  if (!own) {
    problems.emplace_back("cgroup v2 is not mounted");
    return places;
  }
  std::vector<std::string> parents{own->path};
  const std::string above = std::filesystem::path(own->path).parent_path().string();
  if (own->path != own->mount_point && is_delegated(above, own->mount_point)) {
    parents.push_back(above);
  }
  for (const std::string& parent : parents) {
    if (auto found = try_parent(parent, name, problems)) {
      // CPU time is counted in every group of v2.
      found->second.push_back(CgroupController::cpuacct);
      places.add(std::move(found->first), found->second);
      return places;
    }
  }
  return places;
}

Expected<void> SessionCgroupV2::limit(const CgroupLimits& limits) {
  if (limits.memory_bytes) {
    if (auto set =
            write(CgroupController::memory, "memory.max", std::to_string(*limits.memory_bytes));
        !set) {
      return set;
    }
    // Not every kernel accounts swap.
    if (open(CgroupController::memory, "memory.swap.max", O_RDONLY)) {
      if (auto set = write(CgroupController::memory, "memory.swap.max", "0"); !set) return set;
    }
  }
  if (limits.tasks) {
    if (auto set = write(CgroupController::pids, "pids.max", std::to_string(*limits.tasks)); !set) {
      return set;
    }
  }
  if (!limits.cpus) return {};
  return write(CgroupController::cpu, "cpu.max",
               std::to_string(cpu_quota_us(*limits.cpus)) + " " + std::to_string(kCpuPeriodUs));
}

const char* SessionCgroupV2::join_file() const {
  // A single thread cannot be moved here. Where the grace period that the kernel waits for costs
  // too much, the mount option favordynmods spares it.
  return "cgroup.procs";
}

void SessionCgroupV2::open_counters() {
  memory_events_ = open(CgroupController::memory, "memory.events", O_RDONLY);
  // Since 5.19; what is written to it counts from 6.12 on, for this descriptor alone.
  peak_ = open(CgroupController::memory, "memory.peak", O_RDWR);
  if (!peak_) peak_ = open(CgroupController::memory, "memory.peak", O_RDONLY);
}

std::optional<std::uint64_t> SessionCgroupV2::oom_kills() const {
  const auto text = read_again(memory_events_);
  return text ? value_of(*text, "oom_kill") : std::nullopt;
}

std::optional<Bytes> SessionCgroupV2::peak_memory_bytes() const {
  const auto text = read_again(peak_);
  return text ? to_number(*text) : std::nullopt;
}

std::optional<std::chrono::microseconds> SessionCgroupV2::cpu_time() const {
  const auto text = read(CgroupController::cpuacct, "cpu.stat");
  const auto used = text ? value_of(*text, "usage_usec") : std::nullopt;
  if (!used) return std::nullopt;
  return std::chrono::microseconds(*used);
}

std::optional<std::uint64_t> SessionCgroupV2::memory_failures() const {
  const auto text = read_again(memory_events_);
  return text ? value_of(*text, "max") : std::nullopt;
}

void SessionCgroupV2::restart_peak() {
  // A refusal leaves the peak since the start, which is what it is then told as.
  if (peak_) static_cast<void>(::pwrite(peak_.get(), "0", 1, 0));
}

}  // namespace cellblock::host

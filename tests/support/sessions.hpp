// Sessions through the public API, and what a test waits for.
#pragma once

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cellblock/executor.hpp"
#include "cellblock/session.hpp"
#include "support/wait.hpp"

namespace cellblock::test {

/// Without packages, so that it starts at once.
inline std::unique_ptr<Executor> make_executor(ExecutorOptions options = {}) {
  options.preload.clear();
  auto executor = Executor::create(ExecutorKind::fork, std::move(options));
  if (!executor) throw std::runtime_error(executor.error().message);
  return *std::move(executor);
}

/// One for the tests of a file, which is a process of its own under ctest.
inline Executor& shared_executor() {
  static const auto shared = make_executor();
  return *shared;
}

inline Session open_session(Executor& executor, const SecurityPolicy& policy = {}) {
  auto session = executor.open_session(policy);
  if (!session) throw std::runtime_error(session.error().message);
  return *std::move(session);
}

/// An empty one where the report has none of the name.
inline Layer layer_of(const IsolationReport& report, std::string_view name) {
  for (const Layer& layer : report.layers) {
    if (layer.name == name) return layer;
  }
  return {};
}

/// Set on one thread, waited for on another.
class Flag final {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLong, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

/// Python that waits until the file `name` is in the workspace.
inline std::string until_file(const std::string& name) {
  return "import os, time\nwhile not os.path.exists('" + name + "'): time.sleep(0.005)\n";
}

/// A process as /proc shows it.
struct SeenProcess {
  pid_t parent = 0;
  std::string name;
};

inline std::map<pid_t, SeenProcess> all_processes() {
  std::map<pid_t, SeenProcess> processes;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  while (const dirent* entry = ::readdir(folder.get())) {
    const auto pid = static_cast<pid_t>(std::atoi(entry->d_name));
    if (pid <= 0) continue;
    std::ifstream file("/proc/" + std::string(entry->d_name) + "/stat");
    std::string line;
    std::getline(file, line);
    const auto name_begin = line.find('(');
    const auto name_end = line.rfind(')');
    if (name_end == std::string::npos || name_end + 4 >= line.size()) continue;
    processes[pid] = {static_cast<pid_t>(std::atoi(line.c_str() + name_end + 4)),
                      line.substr(name_begin + 1, name_end - name_begin - 1)};
  }
  return processes;
}

/// Every process below this one: number and name.
inline std::map<pid_t, std::string> descendants_of(pid_t ancestor) {
  const auto processes = all_processes();
  std::map<pid_t, std::string> found;
  for (const auto& [pid, process] : processes) {
    pid_t up = process.parent;
    for (int steps = 0; up > 1 && up != ancestor && steps < 64; ++steps) {
      const auto next = processes.find(up);
      up = next == processes.end() ? 0 : next->second.parent;
    }
    if (up == ancestor) found[pid] = process.name;
  }
  return found;
}

/// The zygotes that this process started: its own children, since sessions bear the same name.
/// Numbers say nothing about age: they start again from the bottom.
inline std::set<pid_t> zygote_pids() {
  std::set<pid_t> found;
  for (const auto& [pid, process] : all_processes()) {
    if (process.parent == ::getpid() && process.name.starts_with("cellblock-zygot")) {
      found.insert(pid);
    }
  }
  return found;
}

/// The one zygote of this process; 0: none.
inline pid_t zygote_pid() {
  const auto found = zygote_pids();
  return found.empty() ? 0 : *found.begin();
}

inline std::size_t open_descriptors() {
  std::size_t count = 0;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  while (::readdir(folder.get()) != nullptr) ++count;
  return count;
}

}  // namespace cellblock::test

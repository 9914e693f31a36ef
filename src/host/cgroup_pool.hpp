// Control groups made ahead of the sessions that get them, and removed after: a thread of its own
// does both, since either can take tens of milliseconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cellblock/result.hpp"
#include "host/cgroup_tree.hpp"

namespace cellblock::host {

/// Thread-safe. The destructor removes all groups; those whose processes do not end within seconds
/// are left to the next executor of this user, which removes them.
class CgroupPool final {
 public:
  /// Never fails: where there are no control groups, take() gives none and layer() says why.
  CgroupPool(const CgroupView& view, const std::string& name);
  ~CgroupPool();
  CgroupPool(const CgroupPool&) = delete;
  CgroupPool& operator=(const CgroupPool&) = delete;

  /// A fresh group with these limits, or null where there are none. Error kind: host_error.
  Expected<std::shared_ptr<SessionCgroup>> take(const CgroupLimits& limits);
  /// Its processes have ended: it is removed. Does not block. Null is allowed.
  void give_back(std::shared_ptr<SessionCgroup> group);

  /// The report's row for a session whose process has this number: on only if the kernel says that
  /// it is in this group. Null: none was taken.
  [[nodiscard]] Layer layer(const SessionCgroup* group, pid_t process) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Ended {
    std::shared_ptr<SessionCgroup> group;
    Clock::time_point deadline;
  };

  void wake();
  void loop();
  // Each with the lock, which it opens while it works. False: there is something to try again.
  bool remove_ended(std::unique_lock<std::mutex>& lock);
  bool remove_abandoned(std::unique_lock<std::mutex>& lock);
  void make_spares(std::unique_lock<std::mutex>& lock);

  std::string detail_;
  std::unique_ptr<CgroupTree> tree_;  // null: no control groups

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<SessionCgroup>> spares_;
  std::deque<Ended> ended_;
  std::size_t stuck_ = 0;  // given up: their processes do not end
  bool woken_ = false;
  bool stopping_ = false;
  Clock::time_point sweep_until_;  // only the thread's, once it runs
  std::thread thread_;
};

}  // namespace cellblock::host

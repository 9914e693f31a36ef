// What the sessions that share a cage have in common: files, limits, and the cage itself, which one
// of their processes founds and the others join.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cellblock/policy.hpp"
#include "host/cgroup_pool.hpp"
#include "host/session_source.hpp"
#include "host/shared_workspace.hpp"
#include "protocol/messages.hpp"

namespace cellblock::host {

/// One cage in its source, from the start of the process that founds it to the end of the last one
/// in it.
struct LiveCage {
  const std::uint64_t number;
  /// The executor alone keeps it: its end may have to be waited for.
  const std::weak_ptr<SessionSource> source;
  /// Null: none. Set by who founds it, before it opens.
  std::shared_ptr<SessionCgroup> cgroup = nullptr;
};

/// Thread-safe. The pool outlives it.
class SessionCage final {
 public:
  /// `workspace`: nothing where the first process brings one in memory.
  SessionCage(CgroupPool& cgroups, SecurityPolicy policy, protocol::ForkMode mode,
              std::optional<Workspace> workspace);

  [[nodiscard]] const SecurityPolicy& policy() const { return policy_; }
  [[nodiscard]] protocol::ForkMode mode() const { return mode_; }
  /// Whether the process that founds a cage brings the workspace.
  [[nodiscard]] bool workspace_in_memory() const { return workspace_in_memory_; }
  [[nodiscard]] SharedWorkspace& workspace() { return workspace_; }

  /// One more session. False: the last one has left, and there is nothing to share any more.
  [[nodiscard]] bool attach();
  /// One less. After the last one: the workspace, as SharedWorkspace::give_up(). Null: there are
  /// others.
  [[nodiscard]] std::shared_ptr<const Workspace> detach();

  struct Entry {
    std::shared_ptr<LiveCage> cage;
    std::shared_ptr<SessionSource> source;
    /// The process makes the cage: opened() or leave() must follow. Else the cage is there.
    bool founds = false;
  };
  /// For a process that is about to start. Nothing: another one is making the cage, or the last one
  /// in it is ending; `again` is called when that is over, without a lock. `source` gives the
  /// living one.
  Expected<std::optional<Entry>> enter(
      const std::function<Expected<std::shared_ptr<SessionSource>>()>& source,
      std::function<void()> again);
  /// The process that founds it is ready, its workspace in place: others may join.
  void opened(const std::shared_ptr<LiveCage>& cage);
  /// The tmpfs of the process that founds it becomes the workspace, unless that process has ended.
  Expected<void> settle_in(const std::shared_ptr<LiveCage>& cage, base::UniqueFd folder);
  /// It was found to be ending: nobody joins it any more.
  void close(const std::shared_ptr<LiveCage>& cage);
  /// A process that entered has ended, or was not made. Null is allowed.
  void leave(const std::shared_ptr<LiveCage>& cage);

 private:
  enum class Phase { founding, open, closing };

  CgroupPool& cgroups_;
  const SecurityPolicy policy_;
  const protocol::ForkMode mode_;
  const bool workspace_in_memory_;
  SharedWorkspace workspace_;

  std::mutex mutex_;
  std::size_t sessions_ = 1;
  std::shared_ptr<LiveCage> live_;  // null: none
  Phase phase_ = Phase::founding;   // of live_
  std::size_t processes_ = 0;       // in live_, or about to be
  std::vector<std::function<void()>> waiting_;
};

}  // namespace cellblock::host

// The executor: its sessions are forked from a preloaded zygote, or come from another source.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cellblock/executor.hpp"
#include "host/audit_log.hpp"
#include "host/cgroup_pool.hpp"
#include "host/expiry_clock.hpp"
#include "host/fork_session.hpp"
#include "host/policy_event_totals.hpp"
#include "host/reaper.hpp"
#include "host/runtime_folder.hpp"
#include "host/session_source.hpp"
#include "host/supervisor.hpp"
#include "host/watchdog.hpp"

namespace cellblock::host {

/// Thread-safe. Its destructor ends every session first.
class ForkExecutor final {
 public:
  static Expected<std::shared_ptr<ForkExecutor>> create(ExecutorOptions options,
                                                        SourceKind kind = zygote_sources());
  ~ForkExecutor();
  ForkExecutor(const ForkExecutor&) = delete;
  ForkExecutor& operator=(const ForkExecutor&) = delete;

  Expected<std::shared_ptr<ForkSession>> open_session(
      const SecurityPolicy& policy, protocol::ForkMode mode = protocol::ForkMode::cage);
  /// One more in the same cage.
  Expected<std::shared_ptr<ForkSession>> open_context(const ForkSession& other);
  Expected<EngineInfo> info(const SecurityPolicy& policy = {});
  /// For tests of what holds without a layer: sessions that are opened from now on go without.
  void switch_off(std::vector<std::string> layers);
  /// To be held while a caller waits (see SourceKind).
  [[nodiscard]] std::shared_ptr<void> step_out() const { return kind_.step_out(); }
  [[nodiscard]] const SourceKind& kind() const { return kind_; }
  /// For tests of what starts when confinement fails: that layer's step does from now on; empty:
  /// none.
  void fail_at(std::string layer);

  // For its sessions:
  Supervisor& supervisor() { return supervisor_; }
  Watchdog& watchdog() { return watchdog_; }
  /// The living source; a dead one is replaced. Does not wait until it is ready.
  Expected<std::shared_ptr<SessionSource>> source();
  [[nodiscard]] std::vector<std::string> switched_off() const;
  /// Whether its sessions are confined.
  [[nodiscard]] bool isolates() const { return kind_.isolates; }
  [[nodiscard]] std::string failing_step() const;
  CgroupPool& cgroups() { return cgroups_; }
  /// What the session's own report and what only the host can see amount to.
  [[nodiscard]] IsolationReport judge(std::vector<Layer> layers, const SessionCgroup* cgroup,
                                      pid_t process) const;
  /// Runs `drive` on a thread that the destructor waits for.
  void run_driver(std::function<void()> drive);
  void audit(Execution& execution, const ExecutionResult& result);
  /// Forgets the session and removes the workspace, if it was the last one's, on the reaper's
  /// thread.
  void retire(const ForkSession& session, std::shared_ptr<const Workspace> workspace);

 private:
  Expected<std::optional<Workspace>> make_workspace(const SecurityPolicy& policy);
  Clock::time_point expire_sessions(Clock::time_point now);
  Expected<void> reserve_place();
  void give_up_place();
  bool has_room(std::unique_lock<std::mutex>& lock);
  Expected<std::shared_ptr<ForkSession>> admit(std::shared_ptr<ForkSession> session);
  ForkExecutor(ExecutorOptions options, SourceKind kind, RuntimeFolder folder,
               std::unique_ptr<AuditLog> audit_log);

  const ExecutorOptions options_;
  const SourceKind kind_;
  RuntimeFolder folder_;
  std::unique_ptr<AuditLog> audit_log_;
  Supervisor supervisor_;
  Watchdog watchdog_;
  CgroupPool cgroups_;
  Reaper reaper_;

  std::mutex source_mutex_;
  std::shared_ptr<SessionSource> source_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<std::string, std::shared_ptr<ForkSession>> sessions_;
  std::vector<std::string> switched_off_;
  std::string failing_step_;
  std::size_t opening_ = 0;  // not in sessions_ yet
  std::size_t drivers_ = 0;

  PolicyEventTotals policy_events_;

  ExpiryClock expiry_clock_;  // uses the rest: the last, so that it ends first
};

}  // namespace cellblock::host

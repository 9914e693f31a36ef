// What a session's processes may use, beside the wall clock: its control group and CPU time.
#include <algorithm>
#include <thread>
#include <utility>

#include "host/fork_executor.hpp"
#include "host/fork_session.hpp"

namespace cellblock::host {
namespace {

constexpr std::chrono::milliseconds kCpuTimeTick{20};

/// Files in memory count as the session's. A workspace without a cap counts as memory alone.
Bytes tmpfs_bytes(const protocol::ForkRequest& request) {
  const bool in_memory = request.workspace.folder.empty();
  return protocol::kTemporaryBytes + (in_memory ? request.workspace.bytes.value_or(0) : 0);
}

/// Of all the session's processes, by their group; without one, of the main process.
std::optional<std::chrono::microseconds> cpu_time_of(const SessionCgroup* cgroup,
                                                     const KillTarget& target) {
  const auto of_group = cgroup != nullptr ? cgroup->cpu_time() : std::nullopt;
  return of_group ? of_group : target.cpu_time();
}

}  // namespace

/// A fresh one for every process: pages of the workspace that a dead one filled stay charged to its
/// own group, and would leave no room in it.
Expected<std::shared_ptr<SessionCgroup>> ForkSession::take_cgroup(
    const protocol::ForkRequest& request) {
  if (!executor_.isolates() || request.mode == protocol::ForkMode::bare ||
      request.is_switched_off("cgroup")) {
    return std::shared_ptr<SessionCgroup>();
  }
  return executor_.cgroups().take(cgroup_limits(policy_, tmpfs_bytes(request)));
}

/// Under the lock. The processors are asked no more often than the limit could be reached, and at
/// a bounded rate near it.
void ForkSession::watch_cpu_time(const Execution& execution) {
  const auto limit = execution.cpu_limit();
  if (!limit) return;
  const auto cgroup = process_->cgroup();
  const auto target = process_->target();
  const auto before = cpu_time_of(cgroup.get(), *target);
  const auto soonest = [cgroup, target, end = before.value_or(std::chrono::microseconds{}) + *limit,
                        cores = std::max(1U, std::thread::hardware_concurrency())]()
      -> std::optional<Clock::time_point> {
    const auto used = cpu_time_of(cgroup.get(), *target);
    if (used && *used >= end) return std::nullopt;
    const auto left = used ? (end - *used) / cores : kCpuTimeTick;
    return Clock::now() + std::max<std::chrono::microseconds>(left, kCpuTimeTick);
  };
  active_cpu_watch_ =
      executor_.watchdog().watch(soonest().value_or(Clock::now()), {.target = target,
                                                                    .request = active_id_,
                                                                    .grace = execution.grace(),
                                                                    .reason = StopReason::cpu_time,
                                                                    .look_again = soonest});
}

/// Under the lock.
void ForkSession::unwatch_active() {
  executor_.watchdog().unwatch(active_watch_);
  executor_.watchdog().unwatch(std::exchange(active_cpu_watch_, 0));
}

}  // namespace cellblock::host

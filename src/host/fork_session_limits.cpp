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

/// What a session has used of the processors since this was made. Counted by its group; where other
/// sessions share that, and where there is none, of the main process alone.
class CpuUse final {
 public:
  CpuUse(std::shared_ptr<SessionCgroup> cgroup, std::shared_ptr<KillTarget> target)
      : cgroup_(std::move(cgroup)),
        target_(std::move(target)),
        group_before_(of_group()),
        process_before_(target_->cpu_time()) {}

  [[nodiscard]] std::optional<std::chrono::microseconds> so_far() const {
    if (group_before_ && !cgroup_->is_shared()) {
      if (const auto now = of_group()) return *now - *group_before_;
    }
    const auto now = target_->cpu_time();
    if (!now || !process_before_) return std::nullopt;
    return *now - *process_before_;
  }

 private:
  [[nodiscard]] std::optional<std::chrono::microseconds> of_group() const {
    return cgroup_ ? cgroup_->cpu_time() : std::nullopt;
  }

  const std::shared_ptr<SessionCgroup> cgroup_;
  const std::shared_ptr<KillTarget> target_;
  const std::optional<std::chrono::microseconds> group_before_;
  const std::optional<std::chrono::microseconds> process_before_;
};

}  // namespace

/// A fresh one for every cage: pages of the workspace that a dead one's processes filled stay
/// charged to its own group, and would leave no room in it.
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
  const auto target = process_->target();
  const auto soonest = [use = CpuUse(process_->cgroup(), target), limit = *limit,
                        cores = std::max(1U, std::thread::hardware_concurrency())]()
      -> std::optional<Clock::time_point> {
    const auto used = use.so_far();
    if (used && *used >= limit) return std::nullopt;
    const auto left = used ? (limit - *used) / cores : kCpuTimeTick;
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

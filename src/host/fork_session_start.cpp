// From the wish for a process to the one that takes requests.
#include <tuple>
#include <utility>

#include "host/fork_executor.hpp"
#include "host/fork_session.hpp"
#include "policy/sandbox_plan.hpp"

namespace cellblock::host {
namespace {

// A cold font list alone can take matplotlib ten seconds on a busy machine.
constexpr std::chrono::milliseconds kForkTimeout{120'000};

}  // namespace

Expected<void> ForkSession::open() {
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::forking;
  }
  start_process();
  std::unique_lock lock(mutex_);
  settled_.wait(lock, [this] { return phase_ != Phase::forking; });
  if (phase_ == Phase::ready) return {};
  return start_error_.value_or(
      Error{ErrorKind::host_error, "The session ended while it was starting; open a new one."});
}

/// With the phase set to `forking`, and without the lock: the answer may come before it returns.
void ForkSession::start_process() {
  if (closing()) {
    fail_to_start({ErrorKind::unknown_session, "The session was closed while it started."});
    return;
  }
  auto entry = cage_->enter([this] { return executor_.source(); },
                            [weak = weak_from_this()] {
                              if (const auto self = weak.lock()) self->start_process();
                            });
  if (!entry) return fail_to_start(entry.error());
  if (!*entry) return;
  const SessionCage::Entry& entered = **entry;
  const std::uint64_t attempt = [&] {
    const std::lock_guard lock(mutex_);
    entered_ = entered.cage;
    founds_ = entered.founds;
    return ++attempt_;
  }();
  auto request = policy::make_fork_request(policy_, cage_->workspace().folder());
  request.mode = cage_->mode();
  request.cage = entered.cage->number;
  request.joins_cage = !entered.founds;
  request.switched_off = executor_.switched_off();
  request.failing_step = executor_.failing_step();
  if (entered.founds) {
    auto cgroup = take_cgroup(request);
    if (!cgroup) return fail_to_start(cgroup.error());
    entered.cage->cgroup = *std::move(cgroup);
  }
  {
    const std::lock_guard lock(mutex_);
    fork_watch_ = executor_.watchdog().watch(
        Clock::now() + kForkTimeout,
        {.target = entered.source->kill_target(), .request = KillTarget::kAnyRequest, .grace = {}});
  }
  auto process =
      SessionProcess::start(std::move(request), entered.cage->cgroup, entered.source,
                            executor_.supervisor(), executor_.watchdog(), weak_from_this());
  const std::lock_guard lock(mutex_);
  // It has ended already, and another may have been started since.
  if (phase_ == Phase::none || attempt_ != attempt) return;
  process_ = std::move(process);
  if (closed_) process_->kill();
}

void ForkSession::fail_to_start(const Error& error) {
  process_ended({.kind = ProcessEnd::Kind::not_started, .message = error.message}, nullptr);
}

/// The cage that the process should join has ended. False: this session is over as well.
bool ForkSession::start_in_another_cage() {
  std::shared_ptr<LiveCage> left;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    executor_.watchdog().unwatch(fork_watch_);
    process_.reset();
    left = std::exchange(entered_, nullptr);
  }
  cage_->close(left);
  cage_->leave(left);
  start_process();
  return true;
}

void ForkSession::on_ready(SessionProcess& process, const protocol::SessionReady& ready) {
  base::UniqueFd folder = process.take_workspace();
  const auto [attempt, cage, founds] = [this] {
    const std::lock_guard lock(mutex_);
    return std::tuple(attempt_, entered_, founds_);
  }();
  if (static_cast<bool>(folder) != (founds && cage_->workspace_in_memory())) {
    process.refuse();
    return;
  }
  const auto shared = process.shared_from_this();
  if (!folder) {
    become_ready(shared, ready, attempt);
    return;
  }
  const auto settle = [self = shared_from_this(), shared, ready, attempt = attempt,
                       cage = cage](base::UniqueFd own) {
    if (auto settled = self->cage_->settle_in(cage, std::move(own)); !settled) {
      const std::lock_guard lock(self->mutex_);
      self->start_problem_ = settled.error().message;
      shared->kill();
    } else {
      self->become_ready(shared, ready, attempt);
    }
  };
  if (!cage_->workspace().is_there()) {
    settle(std::move(folder));
    return;
  }
  // Files may be many: not on the supervisor's thread.
  executor_.run_driver([settle, own = std::make_shared<base::UniqueFd>(std::move(folder))] {
    settle(std::move(*own));
  });
}

void ForkSession::become_ready(const std::shared_ptr<SessionProcess>& process,
                               const protocol::SessionReady& ready, std::uint64_t attempt) {
  std::shared_ptr<LiveCage> cage;
  {
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::forking || attempt_ != attempt) return;  // it has ended already
    cage = entered_;
    executor_.watchdog().unwatch(fork_watch_);
    process_ = process;
    phase_ = Phase::ready;
    isolation_ =
        executor_.judge(ready.layers, process->cgroup().get(), process->target()->number());
    if (start_time_.count() == 0) {
      start_time_ = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - opened_);
    }
    if (closed_) process_->kill();
    settled_.notify_all();
  }
  cage_->opened(cage);
  pump();
}

}  // namespace cellblock::host

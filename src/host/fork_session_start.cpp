// From the wish for a process to the one that takes requests.
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
  auto source = executor_.source();
  if (!source) {
    process_ended({.kind = ProcessEnd::Kind::not_started, .message = source.error().message},
                  nullptr);
    return;
  }
  auto request = policy::make_fork_request(policy_, workspace_folder());
  request.mode = mode_;
  request.switched_off = executor_.switched_off();
  request.failing_step = executor_.failing_step();
  auto cgroup = take_cgroup(request);
  if (!cgroup) {
    process_ended({.kind = ProcessEnd::Kind::not_started, .message = cgroup.error().message},
                  nullptr);
    return;
  }
  const std::uint64_t attempt = [&] {
    const std::lock_guard lock(mutex_);
    fork_watch_ = executor_.watchdog().watch(
        Clock::now() + kForkTimeout,
        {.target = (*source)->kill_target(), .request = KillTarget::kAnyRequest, .grace = {}});
    return ++attempt_;
  }();
  auto process = SessionProcess::start(request, *std::move(cgroup), *source, executor_.supervisor(),
                                       executor_.watchdog(), weak_from_this());
  const std::lock_guard lock(mutex_);
  // It has ended already, and another may have been started since.
  if (phase_ == Phase::none || attempt_ != attempt) return;
  process_ = std::move(process);
  if (closed_) process_->kill();
}

/// Empty: in memory.
std::string ForkSession::workspace_folder() {
  const std::lock_guard lock(files_mutex_);
  return workspace_in_memory_ || !workspace_ ? "" : workspace_->path();
}

void ForkSession::on_ready(SessionProcess& process, const protocol::SessionReady& ready) {
  base::UniqueFd folder = process.take_workspace();
  if (static_cast<bool>(folder) != workspace_in_memory_) {
    process.refuse();
    return;
  }
  const std::uint64_t attempt = [this] {
    const std::lock_guard lock(mutex_);
    return attempt_;
  }();
  const auto settle = [self = shared_from_this(), shared = process.shared_from_this(), ready,
                       attempt](base::UniqueFd own) {
    if (auto settled = self->settle_in(std::move(own), attempt); !settled) {
      const std::lock_guard lock(self->mutex_);
      self->start_problem_ = settled.error().message;
      shared->kill();
    } else {
      self->become_ready(shared, ready, attempt);
    }
  };
  if (!folder || !has_files()) {
    settle(std::move(folder));
    return;
  }
  // Files may be many: not on the supervisor's thread.
  executor_.run_driver([settle, own = std::make_shared<base::UniqueFd>(std::move(folder))] {
    settle(std::move(*own));
  });
}

bool ForkSession::has_files() {
  const std::lock_guard lock(files_mutex_);
  return workspace_.has_value();
}

/// The new process's workspace gets what the last one's had.
Expected<void> ForkSession::settle_in(base::UniqueFd folder, std::uint64_t attempt) {
  if (!folder) return {};
  const std::lock_guard lock(files_mutex_);
  {
    const std::lock_guard state_lock(mutex_);
    if (attempt_ != attempt) return {};  // the process has a successor already
  }
  Workspace fresh = Workspace::adopt(std::move(folder), policy_);
  if (workspace_) {
    if (auto moved = workspace_->copy_to(fresh); !moved) return moved;
  }
  watch_.reset();
  workspace_ = std::move(fresh);
  watch_.emplace(*workspace_);
  return {};
}

void ForkSession::become_ready(const std::shared_ptr<SessionProcess>& process,
                               const protocol::SessionReady& ready, std::uint64_t attempt) {
  {
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::forking || attempt_ != attempt) return;  // it has ended already
    executor_.watchdog().unwatch(fork_watch_);
    process_ = process;
    phase_ = Phase::ready;
    isolation_ = executor_.judge(ready.layers, process->cgroup().get());
    if (start_time_.count() == 0) {
      start_time_ = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - opened_);
    }
    if (closed_) process_->kill();
    settled_.notify_all();
  }
  pump();
}

}  // namespace cellblock::host

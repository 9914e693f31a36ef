#include "host/kill_target.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace cellblock::host {
namespace {

void send_signal(const base::UniqueFd& process, int signal) {
  // ESRCH: it has ended already, which is what was wanted.
  ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

}  // namespace

void KillTarget::begin(std::uint64_t request) {
  const std::lock_guard lock(mutex_);
  running_ = request;
  stop_ = {};
}

Stop KillTarget::end(std::uint64_t request) {
  const std::lock_guard lock(mutex_);
  if (running_ != request) return {};
  running_.reset();
  return stop_;
}

bool KillTarget::interrupt(std::uint64_t request, StopReason reason) {
  const std::lock_guard lock(mutex_);
  if (request == kAnyRequest) return true;
  if (running_ != request) return false;
  if (!stop_.reason) stop_.reason = reason;
  if (!stop_.rung) stop_.rung = StoppedBy::sigint;
  send_signal(session_, SIGINT);
  return true;
}

bool KillTarget::kill(std::uint64_t request, StopReason reason) {
  const std::lock_guard lock(mutex_);
  if (request == kAnyRequest) {
    killed_as_such_ = true;
    send_kill();
    return true;
  }
  if (running_ != request) return false;
  if (!stop_.reason) stop_.reason = reason;
  stop_.rung = StoppedBy::sigkill;
  send_kill();
  return true;
}

void KillTarget::kill_now() {
  const std::lock_guard lock(mutex_);
  send_kill();
}

bool KillTarget::killed_as_such() {
  const std::lock_guard lock(mutex_);
  return killed_as_such_;
}

void KillTarget::send_kill() const { send_signal(init_ ? init_ : session_, SIGKILL); }

}  // namespace cellblock::host

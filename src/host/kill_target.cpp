#include "host/kill_target.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <memory>

namespace cellblock::host {
namespace {

void send_signal(const base::UniqueFd& process, int signal) {
  // ESRCH: it has ended already, which is what was wanted.
  ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

}  // namespace

KillTarget::KillTarget(base::UniqueFd session, base::UniqueFd init) {
  const auto process = std::make_shared<base::UniqueFd>(std::move(session));
  const auto whole = init ? std::make_shared<base::UniqueFd>(std::move(init)) : process;
  send_interrupt_ = [process] { send_signal(*process, SIGINT); };
  send_kill_ = [whole] { send_signal(*whole, SIGKILL); };
}

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
  send_interrupt_();
  return true;
}

bool KillTarget::kill(std::uint64_t request, StopReason reason) {
  const std::lock_guard lock(mutex_);
  if (request == kAnyRequest) {
    killed_as_such_ = true;
    send_kill_();
    return true;
  }
  if (running_ != request) return false;
  if (!stop_.reason) stop_.reason = reason;
  stop_.rung = StoppedBy::sigkill;
  send_kill_();
  return true;
}

void KillTarget::kill_now() {
  const std::lock_guard lock(mutex_);
  send_kill_();
}

bool KillTarget::killed_as_such() {
  const std::lock_guard lock(mutex_);
  return killed_as_such_;
}

}  // namespace cellblock::host

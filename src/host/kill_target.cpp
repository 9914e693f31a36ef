#include "host/kill_target.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>

#include "protocol/messages.hpp"

namespace cellblock::host {
namespace {

void send_signal(const base::UniqueFd& process, int signal) {
  // ESRCH: it has ended already, which is what was wanted.
  ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

}  // namespace

KillTarget::KillTarget(base::UniqueFd session, base::UniqueFd init) {
  process_ = std::make_shared<const base::UniqueFd>(std::move(session));
  const auto whole = init ? std::make_shared<const base::UniqueFd>(std::move(init)) : process_;
  send_interrupt_ = [process = process_] {
    send_signal(*process, SIGINT);
    send_signal(*process, SIGCONT);
  };
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

bool KillTarget::ask_for_stack(std::uint64_t request) {
  const std::lock_guard lock(mutex_);
  if (request == kAnyRequest) return true;
  if (running_ != request) return false;
  if (process_) {
    send_signal(*process_, protocol::kStackSignal);
    send_signal(*process_, SIGCONT);
  }
  return true;
}

bool KillTarget::kill(std::uint64_t request, StopReason reason) {
  const std::lock_guard lock(mutex_);
  if (request == kAnyRequest) {
    kills_.as_such |= !has_ended();
    send_kill_();
    return true;
  }
  if (running_ != request) return false;
  if (!stop_.reason) stop_.reason = reason;
  stop_.rung = StoppedBy::sigkill;
  kills_.other |= !has_ended();
  send_kill_();
  return true;
}

void KillTarget::kill_now() {
  const std::lock_guard lock(mutex_);
  kills_.other |= !has_ended();
  send_kill_();
}

KillTarget::Kills KillTarget::kills() {
  const std::lock_guard lock(mutex_);
  return kills_;
}

/// Reaped or not.
bool KillTarget::has_ended() const {
  if (!process_) return false;
  pollfd end{.fd = process_->get(), .events = POLLIN, .revents = 0};
  return ::poll(&end, 1, 0) == 1;
}

pid_t KillTarget::number() const {
  if (!process_) return 0;
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(process_->get()));
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("Pid:")) return std::max(0, std::atoi(line.c_str() + 4));
  }
  return 0;
}

std::optional<std::chrono::microseconds> KillTarget::cpu_time() const {
  const pid_t process = number();
  if (process == 0) return std::nullopt;
  clockid_t clock = 0;
  timespec used{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) {
    return std::nullopt;
  }
  // A number is given again only after its owner is gone; then what was read may be another's.
  if (number() != process) return std::nullopt;
  return std::chrono::seconds(used.tv_sec) + std::chrono::duration_cast<std::chrono::microseconds>(
                                                 std::chrono::nanoseconds(used.tv_nsec));
}

}  // namespace cellblock::host

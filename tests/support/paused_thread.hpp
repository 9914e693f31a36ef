// A thread that stops in the middle of its work: where it makes a certain system call.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "base/unique_fd.hpp"

namespace cellblock::test {

/// The kernel holds the call until this answers (seccomp's user notification, Linux 5.5).
class PausedThread final {
 public:
  PausedThread(int call, std::function<void()> work) {
    std::promise<int> made;
    auto listener = made.get_future();
    thread_ = std::thread([this, call, work = std::move(work), &made] {
      const int fd = listen(call);
      made.set_value(fd);
      if (fd >= 0) work();
      done_ = true;
    });
    listener_ = base::UniqueFd(listener.get());
  }
  ~PausedThread() { finish(); }
  PausedThread(const PausedThread&) = delete;
  PausedThread& operator=(const PausedThread&) = delete;

  /// False: there is no such notification here, and the work is not done.
  [[nodiscard]] bool available() const { return static_cast<bool>(listener_); }

  /// Blocks until the thread stands in the call. False: it ended without one.
  bool wait_until_paused() {
    while (!held_ && !done_) held_ = next();
    return held_.has_value();
  }

  /// Lets this call and every later one go on, and waits for the end of the work.
  void finish() {
    if (!thread_.joinable()) return;
    while (available() && !done_) {
      if (const auto call = held_ ? std::exchange(held_, std::nullopt) : next()) go_on(*call);
    }
    thread_.join();
  }

 private:
  static int listen(int call) {
    std::array<sock_filter, 4> code{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program{.len = code.size(), .filter = code.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                      SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
  }

  /// The call that the thread stands in; nothing: it has not made one for a moment.
  std::optional<std::uint64_t> next() {
    pollfd event{.fd = listener_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&event, 1, 10) != 1) return std::nullopt;
    seccomp_notif call{};
    if (::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return std::nullopt;
    return call.id;
  }

  void go_on(std::uint64_t id) {
    seccomp_notif_resp answer{
        .id = id, .val = 0, .error = 0, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    ::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }

  std::atomic<bool> done_ = false;
  base::UniqueFd listener_;
  std::optional<std::uint64_t> held_;
  std::thread thread_;
};

}  // namespace cellblock::test

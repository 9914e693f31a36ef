#include "base/pidfd.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace cellblock::base {
namespace {

#ifdef SYS_process_mrelease
constexpr long kProcessMrelease = SYS_process_mrelease;
#else
constexpr long kProcessMrelease = 448;  // the same number on every architecture
#endif

}  // namespace

UniqueFd open_pidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool send_signal(int pidfd, int signal_number) {
  return ::syscall(SYS_pidfd_send_signal, pidfd, signal_number, nullptr, 0) == 0;
}

bool is_ending(int pidfd) {
  // Does something only to a process that is ending: it frees what is being freed. A living one is
  // refused with EINVAL (process_mrelease(2)).
  return ::syscall(kProcessMrelease, pidfd, 0) == 0 || errno == ESRCH || errno == EAGAIN;
}

}  // namespace cellblock::base

#include "base/pidfd.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace cellblock::base {

UniqueFd open_pidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool send_signal(int pidfd, int signal_number) {
  return ::syscall(SYS_pidfd_send_signal, pidfd, signal_number, nullptr, 0) == 0;
}

}  // namespace cellblock::base

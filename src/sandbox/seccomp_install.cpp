#include <linux/seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "sandbox/kernel.hpp"
#include "sandbox/seccomp_filter.hpp"

namespace cellblock::sandbox {

Failure install_filter(std::vector<sock_filter>& program) {
  const auto own_pid = static_cast<std::uint32_t>(::getpid());
  for (sock_filter& instruction : program) {
    if (instruction.k == kOwnPid && BPF_CLASS(instruction.code) == BPF_JMP) instruction.k = own_pid;
  }
  const sock_fprog filter{.len = static_cast<unsigned short>(program.size()),
                          .filter = program.data()};
  return check(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0UL, &filter),
               "install the system call filter, without which no session starts");
}

bool filter_is_seen() {
  const base::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket || errno != EAFNOSUPPORT) return false;
  // Unshares nothing: the kernel would answer 0.
  return ::syscall(SYS_unshare, 0UL) == -1 && errno == EPERM;
}

}  // namespace cellblock::sandbox

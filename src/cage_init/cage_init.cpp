// PID 1 of a cage: reaps orphans and dies with the host. Everything else in the cage dies with it,
// by the kernel's hand.
//
// Freestanding (no libc, no start-up code): ready seven times sooner than a static glibc program.
// Descriptor 0 is the reading end of the host's liveness pipe; no other is open. Signals with a
// default action do not reach a PID 1 from inside its namespace.
#include <asm/unistd.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/signal.h>
#include <linux/wait.h>

namespace {

long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
  long result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return result;
}

long address(const void* pointer) { return reinterpret_cast<long>(pointer); }

[[noreturn]] void leave(int status) {
  for (;;) system_call(__NR_exit_group, status);
}

constexpr int kLiveness = 0;
constexpr int kFailed = 1;
constexpr long kInterrupted = -4;  // -EINTR
constexpr long kSignalInfoSize = 128;

}  // namespace

extern "C" [[noreturn]] void _start() {
  system_call(__NR_prctl, PR_SET_DUMPABLE, 0);
  system_call(__NR_prctl, PR_SET_NAME, address("cellblock-init"));
  system_call(__NR_setsid);

  const unsigned long child_ended = 1UL << (SIGCHLD - 1);
  system_call(__NR_rt_sigprocmask, SIG_BLOCK, address(&child_ended), 0, sizeof(child_ended));
  const long signals = system_call(__NR_signalfd4, -1, address(&child_ended), sizeof(child_ended));
  if (signals < 0) leave(kFailed);

  for (;;) {
    pollfd events[2] = {{kLiveness, POLLIN, 0}, {static_cast<int>(signals), POLLIN, 0}};
    const long ready = system_call(__NR_poll, address(events), 2, -1);
    if (ready == kInterrupted) continue;
    if (ready < 0) leave(kFailed);
    if (events[0].revents != 0) leave(0);
    char information[kSignalInfoSize];
    system_call(__NR_read, signals, address(information), kSignalInfoSize);
    while (system_call(__NR_wait4, -1, 0, WNOHANG) > 0) {
    }
  }
}

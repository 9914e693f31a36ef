// Processes by descriptor: a pidfd means one process, whatever becomes of its number.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace cellblock::base {

/// Close-on-exec; owns nothing on failure (errno). Linux 5.3.
UniqueFd open_pidfd(pid_t pid);

/// False: errno (ESRCH once the process has been reaped). Async-signal-safe. Linux 5.1.
bool send_signal(int pidfd, int signal_number);

/// Whether the process has let go of its memory: it is ending, or has ended. From then on the
/// kernel refuses what needs its namespaces, with EPERM as well as with ESRCH, though its number
/// lasts. False also where the kernel cannot tell (before Linux 5.15).
bool is_ending(int pidfd);

}  // namespace cellblock::base

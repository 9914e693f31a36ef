// Processes by descriptor: a pidfd means one process, whatever becomes of its number.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace cellblock::base {

/// Close-on-exec; owns nothing on failure (errno). Linux 5.3.
UniqueFd open_pidfd(pid_t pid);

/// False: errno (ESRCH once the process has been reaped). Async-signal-safe. Linux 5.1.
bool send_signal(int pidfd, int signal_number);

}  // namespace cellblock::base

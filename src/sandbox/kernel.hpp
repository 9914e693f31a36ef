// Kernel constants that installed headers may lack, each with the kernel that brought it.
#pragma once

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace cellblock::sandbox {

// 6.3: says that the memfd may be executed; older kernels refuse the flag (EINVAL).
inline constexpr unsigned kMfdExec = 0x0010U;
// 5.11
inline constexpr unsigned kCloseRangeCloexec = 1U << 2;
// 6.13: the C library's guards of thread stacks; the next number removes them
inline constexpr int kMadvGuardInstall = 102;

}  // namespace cellblock::sandbox

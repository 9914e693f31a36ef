// The system call filter: compiled from the table once in the zygote, installed by every session.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "cellblock/expected.hpp"
#include "sandbox/seccomp_table.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// The programs that sessions choose from.
struct FilterPrograms {
  std::vector<sock_filter> without_children;
  std::vector<sock_filter> with_children;
};

/// Takes milliseconds and allocates: for the zygote. A call by another architecture's table (int
/// 0x80, x32) kills the process.
Expected<std::vector<sock_filter>> compile_filter(const std::vector<SyscallRule>& table);

Expected<FilterPrograms> compile_filters(const Surroundings& surroundings);

/// The last step of confinement, after no_new_privs; for good. Only for a process with one thread.
/// Writes this process's number into the program where that has kOwnPid. Async-signal-safe.
Failure install_filter(std::vector<sock_filter>& program);

/// Whether calls that the kernel itself would allow are refused as the table says.
bool filter_is_seen();

}  // namespace cellblock::sandbox

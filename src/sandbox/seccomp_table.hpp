// Which system calls a session may make, as data. x86_64.
//
// What has no line is refused: EPERM for the numbers that this table knows, which a cell survives,
// ENOSYS for those it does not (see seccomp_filter).
#pragma once

#include <cstdint>
#include <vector>

namespace cellblock::sandbox {

/// (argument & mask) == value. The kernel looks at 32 bits of most arguments and ignores the rest,
/// so the masks leave the upper half out: a compare of 64 bits could be walked around with it.
struct ArgumentTest {
  unsigned argument;
  std::uint64_t mask;
  std::uint64_t value;
};

/// One line: the call, when every test holds, ends with `error`; 0 lets it through.
struct SyscallRule {
  long number;
  int error = 0;
  std::vector<ArgumentTest> tests;
};

/// Whether user code may have processes of its own (they can only be forked: nothing is executed).
enum class Children : std::uint8_t { refused, allowed };

/// Whether paths of the host can be named from inside, or its file system is out of view. Landlock
/// does not cover changes of owner, mode and times, nor, before ABI 3, truncate().
enum class HostFiles : std::uint8_t { hidden, in_view };

/// Whether signals can leave the session: not where it has a pid namespace or Landlock's scope.
enum class Signals : std::uint8_t { bounded, unbounded };

/// What is known when the table is made.
struct Surroundings {
  HostFiles host_files;
  Signals signals;
};

/// Stands for the session's own number, which only the session knows; no process has it.
inline constexpr std::uint32_t kOwnPid = 0x7fff'ff01;

/// Numbers from kFirstUnknown to kLastUnknown do not exist, those above kNewestKnown are newer than
/// this table.
inline constexpr std::uint32_t kFirstUnknown = 335;
inline constexpr std::uint32_t kLastUnknown = 423;
inline constexpr std::uint32_t kNewestKnown = 450;

std::vector<SyscallRule> syscall_table(Children children, const Surroundings& surroundings);

}  // namespace cellblock::sandbox

// The exact table of a session's descriptors.
#pragma once

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

inline constexpr int kStdinFd = 0;
inline constexpr int kStdoutFd = 1;
inline constexpr int kStderrFd = 2;
inline constexpr int kChannelFd = 3;
inline constexpr int kFirstClosedFd = 4;

/// Moves the three to their places and really closes everything from kFirstClosedFd up: nothing
/// execs after it, so close-on-exec would do nothing. 0 stays as it is (/dev/null in the zygote).
/// Async-signal-safe.
Failure arrange_descriptors(int channel, int out, int err);

/// Whether 0 to 3 are open and 4 is not.
bool descriptors_are_exact();

}  // namespace cellblock::sandbox

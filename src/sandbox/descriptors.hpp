// The exact table of a session's descriptors.
#pragma once

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

inline constexpr int kStdinFd = 0;
inline constexpr int kStdoutFd = 1;
inline constexpr int kStderrFd = 2;
inline constexpr int kChannelFd = 3;
inline constexpr int kStackFd = 4;  ///< where Python stacks are written when something goes wrong
inline constexpr int kFirstClosedFd = 5;

/// Moves the four to their places and really closes everything from kFirstClosedFd up: nothing
/// execs after it, so close-on-exec would do nothing. 0 stays as it is (/dev/null in the zygote).
/// Async-signal-safe.
Failure arrange_descriptors(int channel, int out, int err, int stack);

/// Whether 0 to 4 are open and 5 is not.
bool descriptors_are_exact();

}  // namespace cellblock::sandbox

// Dying with those that a session belongs to.
#pragma once

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// SIGKILL when the zygote's only thread ends. Cleared by a change of ids and by fork: called after
/// the first, and not inherited by user code's children. Async-signal-safe.
Failure die_with_parent();

/// Whether the host still holds the writing end of its liveness pipe. Asked after
/// die_with_parent(): getppid() says nothing inside a pid namespace. Async-signal-safe.
bool host_is_alive(int liveness_fd);

}  // namespace cellblock::sandbox

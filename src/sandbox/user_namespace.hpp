// User namespaces: where there is no root, each cage has one, and counts its processes there.
#pragma once

#include "base/unique_fd.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// Whether this process lives in a user namespace that is not the machine's. Needs /proc.
bool in_user_namespace();

/// In the first process of a new user namespace: makes the user of the namespace above it its
/// user 0, and forbids further user namespaces below. `proc` is an O_PATH descriptor of the /proc
/// that the machine shows. Async-signal-safe.
Failure set_up_user_namespace(int proc);

}  // namespace cellblock::sandbox

// The session keyring, which a process otherwise shares with all that descend from one login.
#pragma once

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// A new, empty one. Async-signal-safe. No failure where there are no keyrings to be had: the
/// kernel has none, an outer filter refuses the call, or this user's quota of keys is used up (then
/// the zygote's own stays, and the system call filter keeps sessions from it).
Failure join_new_keyring();

}  // namespace cellblock::sandbox

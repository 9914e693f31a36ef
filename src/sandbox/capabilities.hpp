// Capabilities: a session needs none, as root neither.
#pragma once

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// Nothing that this process executes can gain any again. A process without CAP_SETPCAP keeps its
/// bounding set, which no_new_privs makes worthless. Async-signal-safe.
Failure drop_bounding_set();

/// Empties the ambient, effective, permitted and inheritable sets. Async-signal-safe.
Failure drop_capabilities();

/// Whether this thread holds none, as the kernel says.
bool has_no_capabilities();

}  // namespace cellblock::sandbox

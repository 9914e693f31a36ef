// Capabilities: a session needs none, as root neither.
#pragma once

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// Empties the ambient, bounding, effective, permitted and inheritable sets. A process without
/// CAP_SETPCAP keeps its bounding set, which no_new_privs makes worthless. Async-signal-safe.
Failure drop_capabilities();

/// Whether this thread holds none, as the kernel says.
bool has_no_capabilities();

}  // namespace cellblock::sandbox

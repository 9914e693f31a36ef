// no_new_privs and dumpability: what a process may become, and who may look into it.
#pragma once

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// For good, for this process and all that it starts. Async-signal-safe.
Failure forbid_new_privileges();
bool new_privileges_are_forbidden();

/// No core dump, and no ptrace by processes without privileges over this one. Async-signal-safe.
Failure forbid_dumps();

}  // namespace cellblock::sandbox

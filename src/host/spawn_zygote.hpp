// Starts the zygote's program as PID 1 of a pid namespace of its own where the kernel allows it.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::host {

struct SpawnedZygote {
  base::UniqueFd process;  ///< pidfd
  int pid = 0;             ///< in the caller's pid namespace
};

/// The child gets `control` as 3, `liveness` as 4, `complaints` as its stderr and nothing else. Its
/// end shows in the host program's SIGCHLD and waitpid(-1) like that of any child (exec sees to
/// that); a host program that reaps it does no harm. Tries, in this order: a pid
/// namespace; a user namespace (this user is 0 in it) with a pid namespace; neither. Async-signal-
/// safe in the child, so any thread of any program may call it. Error kind: host_error.
Expected<SpawnedZygote> spawn_zygote(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& environment,
                                     const base::UniqueFd& control, const base::UniqueFd& liveness,
                                     const base::UniqueFd& complaints);

}  // namespace cellblock::host

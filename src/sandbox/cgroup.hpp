// A session's control group, as far as the session itself is concerned.
#pragma once

#include <span>

#include "base/unique_fd.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// Joins the groups that these descriptors of cgroup.procs or tasks belong to. The rights of who
/// opened them count, so this works in any user or pid namespace. Async-signal-safe.
///
/// The child joins by a write, on v2 too: CLONE_INTO_CGROUP needs a raw clone3, after which glibc
/// goes on with the parent's cached thread number, and robust mutexes, raise() and pthread calls
/// of the child act on the wrong thread.
Failure join_cgroups(std::span<const base::UniqueFd> lists);

}  // namespace cellblock::sandbox

// Where there are no pid namespaces: processes that left their session's process group.
#pragma once

#include <sys/types.h>

#include <functional>

namespace cellblock::sandbox {

/// From here on, whoever loses its parent below this process becomes its child. False: it does not,
/// or /proc cannot tell who is; kill_orphans() must not be used then.
bool adopt_orphans();

/// Kills and reaps every child that `is_known` does not claim, and whatever they leave behind in
/// turn. An orphan says nothing of the session that it came from, so those of all sessions end.
/// Blocks until they are dead, a bounded number of times.
void kill_orphans(const std::function<bool(pid_t)>& is_known);

}  // namespace cellblock::sandbox

// What the exit of a session's main process means: who ended it, and what for.
#pragma once

#include <cstdint>

#include "host/kill_target.hpp"
#include "host/request.hpp"
#include "host/session_cgroup.hpp"

namespace cellblock::host {

/// What is known of a main process that has exited.
struct ExitEvidence {
  int wait_status = 0;                 ///< as waitpid gives it
  bool broke_protocol = false;         ///< this side ended it for that
  KillTarget::Kills kills;             ///< by this side
  SessionCgroup* group = nullptr;      ///< null: none
  std::uint64_t oom_kills_before = 0;  ///< the group's, when the request was sent
};

/// Fills what ProcessEnd has of an exit but peak, stack and message. Claims the group's kill for
/// memory if that is what ended it.
///
/// The kernel tells how many processes of a group it has killed for memory, not which. One that
/// this side has killed never claims such a kill: it was another's. What is left: a main process
/// that code of its cage kills with SIGKILL, while the kernel takes another process there within
/// the same request, is told as out of memory.
ProcessEnd judge_exit(const ExitEvidence& exit);

}  // namespace cellblock::host

#include "host/exit_judgement.hpp"

#include <sys/wait.h>

#include <csignal>

namespace cellblock::host {

ProcessEnd judge_exit(const ExitEvidence& exit) {
  ProcessEnd end{.kind = ProcessEnd::Kind::exited, .wait_status = exit.wait_status};
  const bool killed = WIFSIGNALED(exit.wait_status) && WTERMSIG(exit.wait_status) == SIGKILL;
  if (!killed) return end;
  // A kill as such follows a channel that was closed, which a process that dies of memory does too.
  end.out_of_memory = !exit.kills.other && exit.group != nullptr &&
                      exit.group->claim_oom_kill(exit.oom_kills_before);
  end.violated = exit.broke_protocol || (!end.out_of_memory && exit.kills.as_such);
  return end;
}

}  // namespace cellblock::host

// A step of confinement tried in a process of its own, since it cannot be taken back.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace cellblock::test {

/// Runs `body` in a forked child without new privileges and answers what it returned; -n: signal n
/// ended it. `body` must not throw.
inline int in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    // Not the test framework's: a signal ends the child.
    for (int number = 1; number < SIGSYS + 1; ++number) ::signal(number, SIG_DFL);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::_exit(body());
  }
  int status = 0;
  if (pid < 0 || ::waitpid(pid, &status, 0) != pid) return 255;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace cellblock::test

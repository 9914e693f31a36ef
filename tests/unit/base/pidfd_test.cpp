#include "base/pidfd.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch.hpp"
#include "support/wait.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

pid_t start_waiting(unsigned long flags) {
  const long pid = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) {
    for (;;) ::pause();
  }
  return static_cast<pid_t>(pid);
}

}  // namespace

TEST_CASE("A process is ending from its kill on, and stays so") {
  const pid_t pid = start_waiting(0);
  REQUIRE(pid > 0);
  const base::UniqueFd pidfd = base::open_pidfd(pid);
  CHECK_FALSE(base::is_ending(pidfd.get()));
  REQUIRE(base::send_signal(pidfd.get(), SIGKILL));
  CHECK(wait_until([&] { return base::is_ending(pidfd.get()); }));
  ::waitpid(pid, nullptr, 0);
  CHECK(base::is_ending(pidfd.get()));
  CHECK_FALSE(base::send_signal(pidfd.get(), 0));
}

TEST_CASE("An init that must wait for its processes is ending all the while") {
  const pid_t init = start_waiting(CLONE_NEWPID);
  if (init < 0) CELLBLOCK_SKIP("this user cannot make pid namespaces");
  const base::UniqueFd init_fd = base::open_pidfd(init);
  const base::UniqueFd self = base::open_pidfd(::getpid());
  REQUIRE(::setns(init_fd.get(), CLONE_NEWPID) == 0);
  const pid_t second = start_waiting(0);
  REQUIRE(::setns(self.get(), CLONE_NEWPID) == 0);
  REQUIRE(base::send_signal(init_fd.get(), SIGKILL));
  CHECK(wait_until([&] { return base::is_ending(init_fd.get()); }));
  // It ends after the other one, which has not been waited for.
  siginfo_t ended{};
  CHECK(::waitid(P_PID, static_cast<id_t>(init), &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
  CHECK(ended.si_pid == 0);
  CHECK(base::is_ending(init_fd.get()));
  CHECK(::waitpid(second, nullptr, 0) == second);
  CHECK(::waitpid(init, nullptr, 0) == init);
}

#include "sandbox/pid_namespace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "sandbox/kernel.hpp"
#include "sandbox/parent_death.hpp"

namespace cellblock::sandbox {
namespace {

struct HelperArguments {
  int image;
  int liveness_fd;
  Failure failure;
};

// Runs on the zygote's memory while the zygote waits: raw calls only, and everything that the
// cage's other namespaces need is done here, before init's program takes over.
int become_init(void* pointer) {
  auto& arguments = *static_cast<HelperArguments*>(pointer);
  arguments.failure = die_with_parent();
  if (!arguments.failure) arguments.failure = check(::dup2(arguments.liveness_fd, 0), "start init");
  if (!arguments.failure) {
    arguments.failure =
        check(::syscall(SYS_close_range, 1U, ~0U, kCloseRangeCloexec), "start init");
  }
  if (!arguments.failure) {
    const char* const name[] = {"cellblock-init", nullptr};
    const char* const environment[] = {nullptr};
    ::syscall(SYS_execveat, arguments.image, "", name, environment, AT_EMPTY_PATH);
    arguments.failure = {"run the cage's init", errno};
  }
  ::_exit(1);
}

}  // namespace

PidNamespaces::PidNamespaces(int image, int liveness_fd, int self)
    : image_(image),
      liveness_fd_(liveness_fd),
      self_(self),
      stack_(std::make_unique<std::byte[]>(kStackBytes)) {}

Failure PidNamespaces::start_init(CageInit& init) {
  HelperArguments arguments{.image = image_, .liveness_fd = liveness_fd_, .failure = {}};
  int pidfd = -1;
  constexpr int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_NEWPID | SIGCHLD;
  const pid_t pid = ::clone(&become_init, stack_.get() + kStackBytes, flags, &arguments, &pidfd);
  if (pid < 0) return {"make a pid namespace", errno};
  init.pid = pid;
  init.pidfd.reset(pidfd);
  return arguments.failure;
}

Failure PidNamespaces::enter(const CageInit& init) {
  return check(::setns(init.pidfd.get(), CLONE_NEWPID), "enter the cage's pid namespace");
}

Failure PidNamespaces::leave() const {
  return check(::setns(self_, CLONE_NEWPID), "leave the cage's pid namespace");
}

bool is_first_of_cage() { return ::getpid() == 2 && ::getppid() == 0; }

}  // namespace cellblock::sandbox

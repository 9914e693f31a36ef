#include "sandbox/cage.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "sandbox/kernel.hpp"
#include "sandbox/mount_tree.hpp"
#include "sandbox/parent_death.hpp"
#include "sandbox/user_namespace.hpp"

namespace cellblock::sandbox {
namespace {

struct HelperArguments {
  const CageParts* parts;
  CageNamespaces namespaces;
  std::span<const CageMount> mounts;
  Failure failure;
};

Failure set_up_cage(const HelperArguments& arguments) {
  if (arguments.namespaces.user) {
    if (const Failure failure = set_up_user_namespace(arguments.parts->proc)) return failure;
  }
  for (const CageMount& mount : arguments.mounts) {
    if (const Failure failure = attach_tree(mount.tree, AT_FDCWD, mount.path)) return failure;
  }
  if (const Failure failure = die_with_parent()) return failure;
  if (::dup2(arguments.parts->liveness, 0) < 0) return {"start init", errno};
  return check(::syscall(SYS_close_range, 1U, ~0U, kCloseRangeCloexec), "start init");
}

// Runs on the zygote's memory while the zygote waits: raw calls only, and everything that the
// cage's namespaces need is done here, before init's program takes over.
int become_init(void* pointer) {
  auto& arguments = *static_cast<HelperArguments*>(pointer);
  arguments.failure = set_up_cage(arguments);
  if (!arguments.failure) {
    const char* const name[] = {"cellblock-init", nullptr};
    const char* const environment[] = {nullptr};
    ::syscall(SYS_execveat, arguments.parts->image, "", name, environment, AT_EMPTY_PATH);
    arguments.failure = {"run the cage's init", errno};
  }
  ::_exit(1);
}

}  // namespace

CageStarter::CageStarter(const CageParts& parts, CageNamespaces namespaces)
    : parts_(parts), namespaces_(namespaces), stack_(std::make_unique<std::byte[]>(kStackBytes)) {}

Failure CageStarter::start_init(CageInit& init, std::span<const CageMount> mounts) {
  return start(init, namespaces_, mounts);
}

Failure CageStarter::start_further_init(CageInit& init) { return start(init, {}, {}); }

Failure CageStarter::start(CageInit& init, CageNamespaces namespaces,
                           std::span<const CageMount> mounts) {
  HelperArguments arguments{
      .parts = &parts_, .namespaces = namespaces, .mounts = mounts, .failure = {}};
  int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_NEWPID | SIGCHLD;
  if (namespaces.mounts) flags |= CLONE_NEWNS;
  if (namespaces.user) flags |= CLONE_NEWUSER;
  int pidfd = -1;
  const pid_t pid = ::clone(&become_init, stack_.get() + kStackBytes, flags, &arguments, &pidfd);
  if (pid < 0) return {"make the cage's namespaces", errno};
  init.pid = pid;
  init.pidfd.reset(pidfd);
  return arguments.failure;
}

Failure CageStarter::enter(const CageInit& init) {
  return check(::setns(init.pidfd.get(), CLONE_NEWPID), "enter the cage's pid namespace");
}

Failure CageStarter::leave() const {
  return check(::setns(parts_.self, CLONE_NEWPID), "leave the cage's pid namespace");
}

Failure join_namespaces(int init_pidfd, CageNamespaces namespaces) {
  const int flags = (namespaces.user ? CLONE_NEWUSER : 0) | (namespaces.mounts ? CLONE_NEWNS : 0);
  if (flags == 0) return {};
  return check(::setns(init_pidfd, flags), "join the cage's namespaces");
}

bool is_first_of_cage() { return ::getpid() == 2 && ::getppid() == 0; }

}  // namespace cellblock::sandbox

#include "sandbox/namespace_files.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <utility>

namespace cellblock::sandbox {
namespace {

constexpr std::size_t kStackBytes = 16'384;

struct HelperArguments {
  int init_pidfd;
  CageNamespaces namespaces;
  int proc;
  int mounts = -1;
  int user = -1;
  Failure failure;
};

int open_own(int proc, const char* path) { return ::openat(proc, path, O_RDONLY | O_CLOEXEC); }

// Shares our memory and our descriptors: what it opens is open here.
int open_from_inside(void* pointer) {
  auto& arguments = *static_cast<HelperArguments*>(pointer);
  arguments.failure = join_namespaces(arguments.init_pidfd, arguments.namespaces);
  if (!arguments.failure && arguments.namespaces.mounts) {
    arguments.mounts = open_own(arguments.proc, "self/ns/mnt");
    arguments.failure = check(arguments.mounts, "open the cage's mounts");
  }
  if (!arguments.failure && arguments.namespaces.user) {
    arguments.user = open_own(arguments.proc, "self/ns/user");
    arguments.failure = check(arguments.user, "open the cage's user namespace");
  }
  ::_exit(0);
}

}  // namespace

Failure open_namespaces(int init_pidfd, CageNamespaces namespaces, int proc,
                        NamespaceFiles& files) {
  // What stands here if the helper ends before it has done anything.
  HelperArguments arguments{.init_pidfd = init_pidfd,
                            .namespaces = namespaces,
                            .proc = proc,
                            .failure = {"look into the cage", ESRCH}};
  alignas(std::max_align_t) std::array<std::byte, kStackBytes> stack{};
  constexpr int flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD;
  const pid_t pid = ::clone(&open_from_inside, stack.data() + kStackBytes, flags, &arguments);
  if (pid < 0) return {"look into the cage", errno};
  ::waitpid(pid, nullptr, 0);
  NamespaceFiles opened{.mounts = base::UniqueFd(arguments.mounts),
                        .user = base::UniqueFd(arguments.user)};
  if (arguments.failure) return arguments.failure;
  if ((namespaces.mounts && !opened.mounts) || (namespaces.user && !opened.user)) {
    return {"look into the cage", ESRCH};
  }
  files = std::move(opened);
  return {};
}

Failure join_namespaces(const NamespaceFiles& files) {
  // The user namespace first: it gives the right to join the other.
  if (files.user) {
    const Failure failure =
        check(::setns(files.user.get(), CLONE_NEWUSER), "join the cage's user namespace");
    if (failure) return failure;
  }
  if (!files.mounts) return {};
  return check(::setns(files.mounts.get(), CLONE_NEWNS), "join the cage's mounts");
}

}  // namespace cellblock::sandbox

#include "sandbox/host_mounts.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "sandbox/mount_tree.hpp"

namespace cellblock::sandbox {
namespace {

struct HelperArguments {
  int machine;
  const char* path;
  int tree;
  int error;
};

// Shares our memory and our descriptors: what it opens is open here. Only in the namespace of the
// original is a mount copied by every kernel.
int clone_in_the_machine(void* pointer) {
  auto& arguments = *static_cast<HelperArguments*>(pointer);
  if (::setns(arguments.machine, CLONE_NEWNS) == 0) {
    arguments.tree =
        ::open_tree(AT_FDCWD, arguments.path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
  }
  arguments.error = errno;
  ::_exit(0);
}

}  // namespace

HostMounts::HostMounts(base::UniqueFd machine)
    : machine_(std::move(machine)), stack_(std::make_unique<std::byte[]>(kStackBytes)) {}

Expected<base::UniqueFd> HostMounts::clone(const std::string& path, std::uint64_t attributes) {
  const auto failed = [&path](int error) {
    return Error{ErrorKind::host_error,
                 "cannot show " + path + " to the session (" + std::strerror(error) + ")"};
  };
  HelperArguments arguments{
      .machine = machine_.get(), .path = path.c_str(), .tree = -1, .error = 0};
  constexpr int flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD;
  const pid_t pid = ::clone(&clone_in_the_machine, stack_.get() + kStackBytes, flags, &arguments);
  if (pid < 0) return failed(errno);
  ::waitpid(pid, nullptr, 0);
  base::UniqueFd tree(arguments.tree);
  if (!tree) return failed(arguments.error);
  if (const Failure failure = restrict_tree(tree.get(), attributes)) return failed(failure.error);
  return tree;
}

}  // namespace cellblock::sandbox

#include "sandbox/minimal_root.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

#include "sandbox/mount_tree.hpp"
#include "sandbox/mountpoint.hpp"
#include "sandbox/tmpfs.hpp"

namespace cellblock::sandbox {
namespace {

// The root holds empty folders and links only.
constexpr TmpfsLimits kRootLimits{.bytes = 1U << 20, .files = 10'000};
// Anything that exists: the new root is put over it until it is the root.
constexpr const char* kStagingFolder = "/tmp";

struct Tree {
  std::string path;
  base::UniqueFd mount;
};

Error failed(const std::string& what) {
  return Error{ErrorKind::host_error, "cannot " + what + " (" + std::strerror(errno) + ")"};
}

/// Two namespaces: the machine's files stay reachable in the first one by its descriptor.
Expected<base::UniqueFd> leave_the_machines_mounts() {
  if (::unshare(CLONE_NEWNS) != 0) return failed("make a mount namespace");
  // What the machine unmounts goes here too, so that nothing stays busy because of us.
  if (::mount("", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return failed("separate the mounts");
  }
  base::UniqueFd machine(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  if (!machine) return failed("open the mount namespace");
  if (::unshare(CLONE_NEWNS) != 0) return failed("make a mount namespace");
  if (::mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return failed("separate the mounts");
  }
  return machine;
}

Expected<std::vector<Tree>> clone_view(const FileView& view) {
  constexpr auto read_only = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  std::vector<Tree> trees;
  const auto add = [&](const std::string& path, std::uint64_t attributes) {
    Tree tree{.path = path, .mount = clone_tree(path.c_str(), Submounts::included)};
    if (!tree.mount || restrict_tree(tree.mount.get(), attributes)) return false;
    trees.push_back(std::move(tree));
    return true;
  };
  for (const std::string& path : view.readable) {
    if (lies_in_temporary(path) || lies_in_workspace(path)) continue;
    if (!add(path, read_only | MOUNT_ATTR_NODEV)) return failed("copy the mount of " + path);
  }
  for (const std::string& path : view.devices) {
    if (!add(path, read_only | MOUNT_ATTR_NOEXEC)) return failed("copy the mount of " + path);
  }
  return trees;
}

bool make_skeleton(int root, const FileView& view) {
  for (const char* folder : {kWorkspaceMount, kTemporaryMount}) {
    if (!make_mountpoint(root, folder, MountpointKind::folder)) return false;
  }
  if (::symlinkat("s/workspace", root, "workspace") != 0) return false;
  if (::symlinkat("s/tmp", root, "tmp") != 0) return false;
  for (const std::string& name : view.links) {
    std::string target(PATH_MAX, '\0');
    const ssize_t size = ::readlink(("/" + name).c_str(), target.data(), target.size() - 1);
    if (size < 0) return false;
    target.resize(static_cast<std::size_t>(size));
    if (::symlinkat(target.c_str(), root, name.c_str()) != 0) return false;
  }
  return true;
}

Failure attach(int root, const Tree& tree) {
  if (!make_mountpoint(root, tree.path, kind_of(tree.mount.get()))) {
    return {"make a mount point", errno};
  }
  return attach_tree(tree.mount.get(), root, tree.path.c_str() + 1);
}

Failure become_root(int root) {
  if (::fchdir(root) != 0) return {"enter the new root", errno};
  // Both at one place, then the old one away: a joiner of the namespace lands on top of "/".
  if (::syscall(SYS_pivot_root, ".", ".") != 0) return {"change the root", errno};
  if (::umount2(".", MNT_DETACH) != 0) return {"leave the old root", errno};
  if (::chdir("/") != 0) return {"enter the new root", errno};
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return check(::mount_setattr(AT_FDCWD, "/", 0, &attributes, sizeof(attributes)),
               "make the root read-only");
}

}  // namespace

bool lies_in_temporary(const std::string& path) {
  return path == kTemporary || path.starts_with(std::string(kTemporary) + "/");
}

bool lies_in_workspace(const std::string& path) {
  return path == kWorkspace || path.starts_with(std::string(kWorkspace) + "/") ||
         path == kWritableFolder || path.starts_with(std::string(kWritableFolder) + "/");
}

Expected<base::UniqueFd> enter_minimal_root(const FileView& view) {
  auto machine = leave_the_machines_mounts();
  if (!machine) return std::move(machine).error();
  auto trees = clone_view(view);
  if (!trees) return std::move(trees).error();
  auto root = make_tmpfs(kRootLimits, {.mode = "0755"});
  if (!root) return std::move(root).error();
  if (attach_tree(root->get(), AT_FDCWD, kStagingFolder)) return failed("attach the new root");
  if (!make_skeleton(root->get(), view)) return failed("set up the new root");
  for (const Tree& tree : *trees) {
    if (attach(root->get(), tree)) return failed("attach " + tree.path);
  }
  if (const Failure failure = become_root(root->get())) return failed(failure.step);
  return machine;
}

bool root_is_minimal() {
  struct stat status {};
  return ::mkdir("/cellblock-probe", 0700) != 0 && errno == EROFS &&
         ::stat("/proc/self", &status) != 0;
}

}  // namespace cellblock::sandbox

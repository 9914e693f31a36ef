#include "sandbox/mount_tree.hpp"

#include <fcntl.h>
#include <sys/mount.h>

namespace cellblock::sandbox {

base::UniqueFd clone_tree(const char* path, Submounts submounts) {
  // In a user namespace a folder with mounts below it can only be copied with them.
  const unsigned recursive = submounts == Submounts::included ? AT_RECURSIVE : 0U;
  return base::UniqueFd(
      ::open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | recursive));
}

Failure restrict_tree(int tree, std::uint64_t attributes) {
  mount_attr attr{};
  attr.attr_set = attributes;
  return check(::mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr)),
               "restrict a mount");
}

Failure attach_tree(int tree, int folder, const char* path) {
  return check(::move_mount(tree, "", folder, path, MOVE_MOUNT_F_EMPTY_PATH), "attach a mount");
}

}  // namespace cellblock::sandbox

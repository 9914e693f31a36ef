// The mount calls of Linux 5.2 and later: trees of mounts as descriptors.
#pragma once

#include <cstdint>

#include "base/unique_fd.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

enum class Submounts { left_out, included };

/// A detached copy of the mount at `path`, with everything below it: attach it anywhere. `path`
/// must be in this process's own mount namespace. Owns nothing on failure (errno).
base::UniqueFd clone_tree(const char* path, Submounts submounts);

/// Sets MOUNT_ATTR_* on a tree that clone_tree() or make_tmpfs() gave, on every mount of it.
Failure restrict_tree(int tree, std::uint64_t attributes);

/// Puts the tree at `path` (relative to `folder`), which must exist and be of the same kind, file
/// or folder. Async-signal-safe.
Failure attach_tree(int tree, int folder, const char* path);

}  // namespace cellblock::sandbox

// Places to mount on, made in a tree that is still being put together.
#pragma once

#include <string>

namespace cellblock::sandbox {

enum class MountpointKind { file, folder };

/// What a mount of this open file or folder needs.
MountpointKind kind_of(int fd);

/// Makes the absolute `path` below the folder `root`, with all folders above it, where it is not
/// there yet. False: errno.
bool make_mountpoint(int root, const std::string& path, MountpointKind kind);

}  // namespace cellblock::sandbox

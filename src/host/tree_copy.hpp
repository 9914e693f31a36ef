// Copies what is in one folder into another, as between two workspaces of a session.
#pragma once

#include "cellblock/expected.hpp"

namespace cellblock::host {

/// Folders, regular files (with their holes), symbolic and hard links, their modes and times;
/// owner and group become those of the folder `to`. Other kinds of file are left out, and so is
/// what has a path that is too long for the kernel. `from` must not change meanwhile. No link is
/// followed. Error kind: host_error.
Expected<void> copy_tree(int from, int to);

}  // namespace cellblock::host

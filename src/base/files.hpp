// Files and folders by descriptor.
#pragma once

#include <dirent.h>

#include <memory>
#include <string>

#include "base/unique_fd.hpp"

namespace cellblock::base {

/// Opens a path below the folder, adding O_CLOEXEC: no link is followed and no ".." leads outside
/// (openat2 of Linux 5.6, RESOLVE_BENEATH). Owns nothing on failure (errno; EXDEV and ELOOP tell of
/// a path that leads away).
UniqueFd open_beneath(int folder, const std::string& path, int flags, unsigned mode = 0);

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
/// For readdir(); owns its descriptor.
using Folder = std::unique_ptr<DIR, CloseFolder>;

/// Takes the descriptor of a folder over; null on failure (errno), which closes it.
Folder read_folder(UniqueFd descriptor);

}  // namespace cellblock::base

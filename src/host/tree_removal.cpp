#include "host/tree_removal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/unique_fd.hpp"

namespace cellblock::host {
namespace {

base::Folder open_folder(int parent, const char* name) {
  return base::read_folder(
      base::UniqueFd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
}

/// The session may have taken its owner's rights from a folder. Never follows a link.
void make_enterable(int parent, const char* name) {
  const base::UniqueFd folder(
      ::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder) ::chmod(("/proc/self/fd/" + std::to_string(folder.get())).c_str(), 0700);
}

/// Moves a folder to the root under a name that nothing there has; `lifted` counts the names.
bool lift(int parent, const char* name, int root, std::uint64_t& lifted) {
  make_enterable(parent, name);  // one that cannot be written to cannot be moved either
  while (true) {
    const std::string moved = ".lifted-" + std::to_string(++lifted);
    if (::renameat(parent, name, root, moved.c_str()) == 0) return true;
    if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) return false;
  }
}

/// Depth is the session's choice, so this walks with one descriptor at a time: a folder that holds
/// folders is emptied by moving its children up to the root first.
void remove_contents(int root) {
  std::uint64_t lifted = 0;
  for (bool again = true; again;) {
    again = false;
    const auto folder = open_folder(root, ".");
    if (!folder) return;
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string_view name(entry->d_name);
      if (name != "." && name != "..") names.emplace_back(name);
    }
    for (const std::string& name : names) {
      if (::unlinkat(root, name.c_str(), 0) == 0) continue;
      make_enterable(root, name.c_str());
      const auto child = open_folder(root, name.c_str());
      if (!child) continue;
      while (const dirent* entry = ::readdir(child.get())) {
        const std::string_view inner(entry->d_name);
        if (inner == "." || inner == "..") continue;
        if (::unlinkat(::dirfd(child.get()), entry->d_name, 0) == 0) continue;
        again |= lift(::dirfd(child.get()), entry->d_name, root, lifted);
      }
      ::unlinkat(root, name.c_str(), AT_REMOVEDIR);
    }
  }
}

}  // namespace

void remove_tree(const std::string& path) {
  make_enterable(AT_FDCWD, path.c_str());
  {
    const base::UniqueFd root(
        ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!root) return;
    remove_contents(root.get());
  }
  ::rmdir(path.c_str());
}

}  // namespace cellblock::host

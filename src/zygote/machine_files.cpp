#include "zygote/machine_files.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sandbox/minimal_root.hpp"
#include "sandbox/mount_tree.hpp"
#include "sandbox/mountpoint.hpp"
#include "sandbox/tmpfs.hpp"

namespace cellblock::zygote {
namespace {

constexpr sandbox::TmpfsLimits kCoverLimits{.bytes = 1U << 20, .files = 1'000};

bool set_root_read_only(bool read_only) {
  mount_attr attributes{};
  (read_only ? attributes.attr_set : attributes.attr_clr) = MOUNT_ATTR_RDONLY;
  return ::mount_setattr(AT_FDCWD, "/", 0, &attributes, sizeof(attributes)) == 0;
}

/// In the root of all sessions: it is writable only for this moment, and only for us.
bool make_place(const std::string& path, sandbox::MountpointKind kind) {
  const base::UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root || !set_root_read_only(false)) return false;
  const bool made = sandbox::make_mountpoint(root.get(), path, kind);
  return set_root_read_only(true) && made;
}

Error failed(const std::string& path) {
  return Error{ErrorKind::host_error,
               "cannot make a place for " + path + " (" + std::strerror(errno) + ")"};
}

/// Sorted, without those that another one shows already.
std::vector<std::string> outermost(std::vector<std::string> paths, const sandbox::FileView& view) {
  std::sort(paths.begin(), paths.end());
  sandbox::FileView chosen;
  for (std::string& path : paths) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (!sandbox::shows(view, path) && !sandbox::shows(chosen, path)) {
      chosen.readable.push_back(std::move(path));
    }
  }
  return std::move(chosen.readable);
}

}  // namespace

MachineFiles::MachineFiles(sandbox::HostMounts host, sandbox::FileView view)
    : host_(std::move(host)), view_(std::move(view)) {
  const auto hidden = std::stable_partition(
      view_.readable.begin(), view_.readable.end(),
      [](const std::string& path) { return !sandbox::lies_in_temporary(path); });
  in_temporary_.assign(hidden, view_.readable.end());
  view_.readable.erase(hidden, view_.readable.end());
}

Expected<std::vector<ShownPath>> MachineFiles::show(std::vector<std::string> paths, int temporary) {
  paths.insert(paths.end(), in_temporary_.begin(), in_temporary_.end());
  constexpr auto attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  std::map<std::string, base::UniqueFd> covers;
  std::vector<ShownPath> shown;
  for (const std::string& path : outermost(std::move(paths), view_)) {
    if (path == sandbox::kTemporary || sandbox::lies_in_workspace(path)) {
      return Error{ErrorKind::host_error,
                   "cannot show " + path + ": the session has its own files there"};
    }
    auto tree = host_.clone(path, attributes);
    if (!tree) return std::move(tree).error();
    if (sandbox::lies_in_temporary(path)) {
      if (!sandbox::make_mountpoint(temporary, path.substr(std::strlen(sandbox::kTemporary)),
                                    sandbox::kind_of(tree->get()))) {
        return failed(path);
      }
      shown.push_back({.tree = *std::move(tree), .path = path});
      continue;
    }
    auto place = place_for(path, tree->get());
    if (!place) return std::move(place).error();
    if (*place != path) {
      // Between the place and the path stand folders that only this cage sees.
      base::UniqueFd& cover = covers[*place];
      if (!cover) {
        auto made = sandbox::make_tmpfs(kCoverLimits, {.mode = "0755"});
        if (!made) return std::move(made).error();
        cover = *std::move(made);
      }
      if (!sandbox::make_mountpoint(cover.get(), path.substr(place->size()),
                                    sandbox::kind_of(tree->get()))) {
        return failed(path);
      }
    }
    shown.push_back({.tree = *std::move(tree), .path = path});
  }
  for (auto& [place, cover] : covers) {
    if (sandbox::restrict_tree(cover.get(), attributes | MOUNT_ATTR_NOEXEC)) return failed(place);
    shown.insert(shown.begin(), {.tree = std::move(cover), .path = place});
  }
  return shown;
}

/// The first part of the path that the root did not have before any policy asked for it.
Expected<std::string> MachineFiles::place_for(const std::string& path, int tree) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (places_.contains(part)) return part;
    struct stat status {};
    const bool last = slash == std::string::npos;
    if (::lstat(part.c_str(), &status) == 0) {
      if (last || !S_ISDIR(status.st_mode)) {
        errno = EEXIST;
        return failed(path);
      }
      continue;
    }
    const auto kind = last ? sandbox::kind_of(tree) : sandbox::MountpointKind::folder;
    if (!make_place(part, kind)) return failed(path);
    places_.insert(part);
    return part;
  }
}

}  // namespace cellblock::zygote

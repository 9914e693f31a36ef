#include "host/workspace_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "host/file_changes.hpp"

namespace cellblock::host {
namespace {

// A walk over so many costs less than a watch is worth.
constexpr std::size_t kSmallTree = 64;
constexpr std::size_t kMostReads = 64;
constexpr std::uint32_t kMask = IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB |
                                IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR;

}  // namespace

/// What the kernel told of. `unsure`: something was lost or a folder was moved: only a walk helps.
struct WorkspaceWatch::Events {
  std::set<std::string> names;
  std::set<std::string> folders;
  bool unsure = false;
};

WorkspaceWatch::WorkspaceWatch(const Workspace& workspace)
    : workspace_(workspace), tree_(workspace.scan()) {}

FileChanges WorkspaceWatch::take_changes() {
  FileChanges changes = std::exchange(before_, {});
  merge(changes, changes_since());
  return changes;
}

FileChanges WorkspaceWatch::changes_since() {
  if (!inotify_) return walk();
  Events events = read_events();
  events.names.merge(std::exchange(put_off_, {}));
  for (const std::string& folder : std::exchange(events.folders, {})) {
    events.unsure |= !add_folder(folder + "/", &events.names);
  }
  if (!events.unsure) return look_at(events);
  stop();
  return walk();
}

void WorkspaceWatch::note(const std::string& path) {
  const auto stamp = workspace_.stamp(path);
  if (!stamp) return;
  tree_[path] = *stamp;
  const FileInfo file = describe(path, *stamp);
  for (auto* told : {&before_.created, &before_.changed}) {
    for (FileInfo& known : *told) {
      if (known.path == file.path) known = file;
    }
  }
}

void WorkspaceWatch::leave_out(std::optional<std::string> path) {
  left_out_ = std::nullopt;
  // A file that a program has removed is there again when the host has written it.
  if (path && workspace_.stamp(*path)) merge(before_, look_at({.names = {*path}}));
  left_out_ = std::move(path);
}

/// The watch begins before the walk, so that nothing falls between the two.
FileChanges WorkspaceWatch::walk() {
  if (tree_.size() > kSmallTree) start();
  FileTree tree = workspace_.scan();
  if (left_out_) {
    tree.erase(*left_out_);
    if (const auto old = tree_.find(*left_out_); old != tree_.end()) tree.insert(*old);
  }
  FileChanges changes = compare(tree_, tree);
  tree_ = std::move(tree);
  return changes;
}

void WorkspaceWatch::start() {
  inotify_ = base::UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_ || !add_folder("", nullptr)) stop();
}

void WorkspaceWatch::stop() {
  inotify_.reset();
  prefixes_.clear();
  put_off_.clear();
}

/// Watches a folder ("" or "folder/") and those in it; `names` gets what is there already.
bool WorkspaceWatch::add_folder(const std::string& prefix, std::set<std::string>* names) {
  if (std::count(prefix.begin(), prefix.end(), '/') > kDeepestFolder) return true;
  base::UniqueFd fd = workspace_.open_folder(prefix);
  if (!fd) return true;  // gone again
  if (prefixes_.size() >= workspace_.max_files()) return false;
  const int watch = ::inotify_add_watch(
      inotify_.get(), ("/proc/self/fd/" + std::to_string(fd.get())).c_str(), kMask);
  if (watch < 0) return false;
  prefixes_[watch] = prefix;
  const auto folder = base::read_folder(std::move(fd));
  if (!folder) return false;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    const std::string path = prefix + entry->d_name;
    if (entry->d_type == DT_DIR) {
      if (!add_folder(path + "/", names)) return false;
    } else if (names != nullptr) {
      names->insert(path);
    }
  }
  return true;
}

WorkspaceWatch::Events WorkspaceWatch::read_events() {
  Events events;
  alignas(inotify_event) std::array<char, 65'536> buffer{};
  for (std::size_t reads = 0; reads < kMostReads; ++reads) {
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) return events;
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      at += static_cast<ssize_t>(sizeof(event) + event.len);
      const auto folder = prefixes_.find(event.wd);
      if ((event.mask & IN_Q_OVERFLOW) != 0) events.unsure = true;
      if (folder == prefixes_.end()) continue;
      if ((event.mask & IN_IGNORED) != 0) {
        prefixes_.erase(folder);
      } else if (event.len > 0 && (event.mask & IN_ISDIR) == 0) {
        events.names.insert(folder->second + name);
      } else if (event.len > 0 && (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
        events.folders.insert(folder->second + name);
      } else if ((event.mask & IN_MOVED_FROM) != 0) {
        events.unsure = true;
      }
    }
  }
  events.unsure = true;  // more comes than can be followed
  return events;
}

FileChanges WorkspaceWatch::look_at(const Events& events) {
  FileChanges changes;
  for (const std::string& path : events.names) {
    if (path == left_out_) {
      put_off_.insert(path);
      continue;
    }
    const auto stamp = workspace_.stamp(path);
    const auto old = tree_.find(path);
    if (!stamp) {
      if (old == tree_.end()) continue;
      changes.deleted.push_back(describe(path, old->second));
      tree_.erase(old);
    } else if (old == tree_.end()) {
      if (tree_.size() >= workspace_.max_files()) continue;
      changes.created.push_back(describe(path, *stamp));
      tree_.emplace(path, *stamp);
    } else if (old->second != *stamp) {
      changes.changed.push_back(describe(path, *stamp));
      old->second = *stamp;
    }
  }
  return changes;
}

}  // namespace cellblock::host

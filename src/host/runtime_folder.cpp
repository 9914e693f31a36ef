#include "host/runtime_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "host/tree_removal.hpp"

namespace cellblock::host {
namespace {

namespace fs = std::filesystem;

/// The folder itself is locked. Empty: somebody else's, alive, or gone.
base::UniqueFd lock_folder(const std::string& path) {
  base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) return {};
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return folder;
}

void remove_abandoned(const fs::path& base) {
  std::error_code error;
  std::vector<std::string> ours;
  for (fs::directory_iterator entry(base, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with(executor_prefix())) {
      ours.push_back(entry->path().string());
    }
  }
  for (const std::string& path : ours) {
    if (const auto lock = lock_folder(path)) remove_tree(path);
  }
}

}  // namespace

std::string executor_prefix() { return "cellblock-" + std::to_string(::geteuid()) + "-"; }

Expected<RuntimeFolder> RuntimeFolder::create() {
  const char* chosen = std::getenv("TMPDIR");
  const fs::path base = chosen != nullptr && *chosen == '/' ? chosen : "/tmp";
  remove_abandoned(base);
  std::string path = (base / (executor_prefix() + "XXXXXX")).string();
  // Another program may take it for abandoned before it is locked: then it is gone, and the next
  // try makes another.
  for (int tries = 0; tries < 16; ++tries) {
    std::string name = path;
    if (::mkdtemp(name.data()) == nullptr) break;
    auto lock = lock_folder(name);
    struct stat status {};
    if (lock && ::fstat(lock.get(), &status) == 0 && status.st_nlink > 0) {
      return RuntimeFolder(std::move(name), std::move(lock));
    }
  }
  return Error{ErrorKind::host_error, "No folder for workspaces can be made in " + base.string() +
                                          " (" + std::strerror(errno) +
                                          "): set TMPDIR to one that this user may write."};
}

std::string RuntimeFolder::name() const { return fs::path(path_).filename().string(); }

RuntimeFolder::~RuntimeFolder() {
  if (lock_) remove_tree(path_);
}

std::string font_cache_folder(const std::string& fallback) {
  fs::path base;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    base = cache;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    base = fs::path(home) / ".cache";
  }
  std::error_code error;
  if (!base.empty()) {
    const fs::path folder = base / "cellblock" / "matplotlib";
    fs::create_directories(folder, error);
    if (!error && ::access(folder.c_str(), W_OK) == 0) return folder.string();
  }
  const fs::path folder = fs::path(fallback) / "matplotlib";
  fs::create_directories(folder, error);
  return folder.string();
}

}  // namespace cellblock::host

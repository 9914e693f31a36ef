#include "host/cgroup_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "host/runtime_folder.hpp"

namespace cellblock::host {
namespace {

namespace fs = std::filesystem;

/// Empty: somebody else's, alive, or gone.
base::UniqueFd lock_folder(const std::string& path) {
  base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return {};
  // A removed group keeps its count of links: only its name tells.
  struct stat locked {};
  struct stat named {};
  const bool still_there = ::fstat(folder.get(), &locked) == 0 &&
                           ::stat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino;
  return still_there ? std::move(folder) : base::UniqueFd();
}

std::vector<std::string> folders_in(const fs::path& parent) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code none;
    if (entry->is_directory(none)) names.push_back(entry->path().filename().string());
  }
  return names;
}

/// The group and those of its sessions. Groups are removed as empty folders are.
bool remove_group(const std::string& path) {
  for (const std::string& name : folders_in(path)) ::rmdir((path + "/" + name).c_str());
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

Expected<CgroupFolder> CgroupFolder::create(const std::string& parent, const std::string& name) {
  const std::string path = parent + "/" + name;
  // Another executor may take it for abandoned before it is locked: the next try makes it again.
  for (int tries = 0; tries < 16; ++tries) {
    if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) break;
    if (auto folder = lock_folder(path)) return CgroupFolder(parent, path, std::move(folder));
    errno = EBUSY;
  }
  return Error{ErrorKind::host_error,
               "cannot be made in " + parent + " (" + std::strerror(errno) + ")"};
}

CgroupFolder::~CgroupFolder() {
  if (folder_) remove_group(path_);
}

int CgroupFolder::make(const std::string& name) const {
  return ::mkdirat(folder_.get(), name.c_str(), 0755) == 0 ? 0 : errno;
}

int CgroupFolder::remove(const std::string& name) const {
  const bool gone = ::unlinkat(folder_.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
  return gone ? 0 : errno;
}

bool remove_abandoned_cgroups(const std::string& parent) {
  bool all_gone = true;
  for (const std::string& name : folders_in(parent)) {
    if (!name.starts_with(executor_prefix())) continue;
    const std::string path = parent + "/" + name;
    if (const auto lock = lock_folder(path)) all_gone &= remove_group(path);
  }
  return all_gone;
}

}  // namespace cellblock::host

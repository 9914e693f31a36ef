#include "host/tree_copy.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/unique_fd.hpp"
#include "base/utf8.hpp"

namespace cellblock::host {
namespace {

// O_NONBLOCK: nothing that a session left there hangs the host.
constexpr int kQuietly = O_NONBLOCK | O_NOCTTY;

/// One copy at a time; with paths instead of open folders, since depth is the session's choice.
class TreeCopy final {
 public:
  TreeCopy(int from, int to) : from_(from), to_(to) {
    struct stat status {};
    ::fstat(to, &status);
    owner_ = status.st_uid;
    group_ = status.st_gid;
  }

  Expected<void> run() {
    folders_.push_back({".", {}});
    while (!folders_.empty()) {
      const Folder folder = std::move(folders_.front());
      folders_.pop_front();
      copy_folder(folder.path);
      if (folder.path != ".") done_.push_back(folder);
      if (error_ != 0) return failed();
    }
    // Last, and from below: a folder's mode may forbid to fill it, and filling it changes its time.
    for (auto folder = done_.rbegin(); folder != done_.rend(); ++folder) {
      const auto copy = base::open_beneath(to_, folder->path, O_RDONLY | O_DIRECTORY | kQuietly);
      keep_attributes(copy.get(), folder->status);
    }
    return {};
  }

 private:
  struct Folder {
    std::string path;
    struct stat status;
  };

  Error failed() const {
    return {ErrorKind::host_error, "The workspace's \"" + base::to_valid_utf8(at_) +
                                       "\" cannot be carried over to the session's new process (" +
                                       std::strerror(error_) + ")."};
  }

  void copy_folder(const std::string& path) {
    const auto entries =
        base::read_folder(base::open_beneath(from_, path, O_RDONLY | O_DIRECTORY | kQuietly));
    if (!entries) return note(path);
    const int folder = ::dirfd(entries.get());
    while (const dirent* entry = ::readdir(entries.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      const std::string below = path == "." ? name : path + "/" + name;
      if (below.size() >= PATH_MAX) continue;
      copy_entry(folder, name, below);
      if (error_ != 0) return;
    }
  }

  void copy_entry(int folder, const std::string& name, const std::string& path) {
    struct stat status {};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return note(path);
    if (S_ISLNK(status.st_mode)) return copy_link(folder, name, path);
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
    // Its owner may have locked himself out, and without privileges us too.
    if ((status.st_mode & S_IRWXU) != S_IRWXU) ::fchmodat(folder, name.c_str(), 0700, 0);
    if (S_ISDIR(status.st_mode)) {
      if (::mkdirat(to_, path.c_str(), 0700) != 0) return note(path);
      folders_.push_back({path, status});
      return;
    }
    if (status.st_nlink > 1) {
      const auto [known, fresh] = linked_.emplace(status.st_ino, path);
      if (!fresh) {
        if (::linkat(to_, known->second.c_str(), to_, path.c_str(), 0) != 0) note(path);
        return;
      }
    }
    copy_file(path, status);
  }

  void copy_link(int folder, const std::string& name, const std::string& path) {
    std::array<char, PATH_MAX> target{};
    if (::readlinkat(folder, name.c_str(), target.data(), target.size() - 1) < 0) return note(path);
    if (::symlinkat(target.data(), to_, path.c_str()) != 0) return note(path);
    static_cast<void>(::fchownat(to_, path.c_str(), owner_, group_, AT_SYMLINK_NOFOLLOW));
  }

  void copy_file(const std::string& path, const struct stat& status) {
    const auto source = base::open_beneath(from_, path, O_RDONLY | kQuietly);
    if (!source) return note(path);
    const base::UniqueFd copy(
        ::openat(to_, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!copy || ::ftruncate(copy.get(), status.st_size) != 0) return note(path);
    // Holes stay holes: a file's size says nothing of what it holds.
    off_t data = ::lseek(source.get(), 0, SEEK_DATA);
    while (data >= 0 && data < status.st_size) {
      const off_t hole = ::lseek(source.get(), data, SEEK_HOLE);
      ::lseek(source.get(), data, SEEK_SET);
      ::lseek(copy.get(), data, SEEK_SET);
      for (off_t rest = hole - data; rest > 0;) {
        const ssize_t sent =
            ::sendfile(copy.get(), source.get(), nullptr, static_cast<std::size_t>(rest));
        if (sent <= 0) return note(path);
        rest -= sent;
      }
      data = ::lseek(source.get(), hole, SEEK_DATA);
    }
    keep_attributes(copy.get(), status);
  }

  void keep_attributes(int copy, const struct stat& status) const {
    // The owner before the mode, which a change of owner may reduce.
    static_cast<void>(::fchown(copy, owner_, group_));
    static_cast<void>(::fchmod(copy, status.st_mode & 0777));
    const timespec times[2] = {status.st_atim, status.st_mtim};
    static_cast<void>(::futimens(copy, times));
  }

  void note(const std::string& path) {
    error_ = errno != 0 ? errno : EIO;
    at_ = path;
  }

  int from_;
  int to_;
  uid_t owner_ = 0;
  gid_t group_ = 0;
  std::deque<Folder> folders_;
  std::vector<Folder> done_;
  std::map<ino_t, std::string> linked_;
  int error_ = 0;
  std::string at_;
};

}  // namespace

Expected<void> copy_tree(int from, int to) { return TreeCopy(from, to).run(); }

}  // namespace cellblock::host

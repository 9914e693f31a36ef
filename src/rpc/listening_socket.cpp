#include "rpc/listening_socket.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace cellblock::rpc {
namespace {

constexpr int kBacklog = 64;

Error failed(const std::string& what) {
  return Error{ErrorKind::host_error, what + ": " + std::strerror(errno) + "."};
}

Error refused(std::string sentence) { return Error{ErrorKind::bad_argument, std::move(sentence)}; }

// Starters look, remove and bind one after the other; who serves already needs no lock.
class FolderLock {
 public:
  explicit FolderLock(int folder) : folder_(folder) {
    while (::flock(folder_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FolderLock() { ::flock(folder_, LOCK_UN); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

// By the folder's descriptor: what the folder's path leads to may change meanwhile.
sockaddr_un address_in(int folder, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder) + "/" + name;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Expected<base::UniqueFd> open_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return refused("The socket's folder " + path + " cannot be made: " + std::strerror(errno) +
                   ". Name one that exists.");
  }
  base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (!folder || ::fstat(folder.get(), &info) != 0) {
    return refused("The socket's folder " + path + " cannot be opened: " + std::strerror(errno) +
                   ".");
  }
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    return refused("The socket's folder " + path +
                   " must be this user's own and closed to all others: chmod 700 it, or name "
                   "another.");
  }
  return folder;
}

// Whether nobody takes connections there any more: the one answer that says so for sure.
bool is_stale(const sockaddr_un& address) {
  const base::UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(probe.get(), generic(address), sizeof(address)) != 0 && errno == ECONNREFUSED;
}

std::optional<Error> make_room(int folder, const std::string& name, const std::string& path) {
  struct stat info {};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return failed("Cannot look at " + path);
  }
  if (!S_ISSOCK(info.st_mode)) {
    return refused(path + " exists and is no socket; remove it or name another path.");
  }
  if (!is_stale(address_in(folder, name))) {
    return Error{ErrorKind::busy_limit,
                 "Another program serves at " + path + "; end it or name another path."};
  }
  if (::unlinkat(folder, name.c_str(), 0) != 0) return failed("Cannot remove the old " + path);
  return std::nullopt;
}

}  // namespace

Expected<ListeningSocket> ListeningSocket::open(const std::string& path) {
  const auto absolute = std::filesystem::absolute(path).lexically_normal();
  std::string name = absolute.filename().string();
  if (name.empty()) return refused("The socket's path must name a file, not a folder: " + path);
  if (absolute.string().size() >= sizeof(sockaddr_un::sun_path) || name.size() > 64) {
    return refused("The socket's path is too long (107 bytes at most, 64 for the name): " + path);
  }
  auto folder = open_folder(absolute.parent_path().string());
  if (!folder) return std::move(folder).error();

  const FolderLock lock(folder->get());
  if (auto wrong = make_room(folder->get(), name, path)) return *std::move(wrong);
  base::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = address_in(folder->get(), name);
  struct stat info {};
  // The mode that the path gets at bind, so that it never has another one.
  if (!socket || ::fchmod(socket.get(), 0600) != 0 ||
      ::bind(socket.get(), generic(address), sizeof(address)) != 0 ||
      ::listen(socket.get(), kBacklog) != 0 ||
      ::fstatat(folder->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return failed("Cannot serve at " + path);
  }
  return ListeningSocket(*std::move(folder), std::move(name), std::move(socket), info.st_ino);
}

ListeningSocket::~ListeningSocket() {
  if (!socket_) return;
  const FolderLock lock(folder_.get());
  struct stat info {};
  if (::fstatat(folder_.get(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      info.st_ino == inode_) {
    ::unlinkat(folder_.get(), name_.c_str(), 0);
  }
}

base::UniqueFd ListeningSocket::accept() const {
  return base::UniqueFd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

bool is_own_user(int connection) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace cellblock::rpc

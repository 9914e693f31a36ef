// A unix socket at a path of this user's own.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::rpc {

/// Takes connections at a path that nobody but this user can reach; removes the path at its end.
class ListeningSocket final {
 public:
  /// The socket gets mode 0600. Its folder must belong to this user and be closed to all others
  /// (0700); it is made when only it is missing. A socket that nobody serves any more is replaced.
  /// Error kinds: bad_argument (the path, or the folder), busy_limit (another program serves
  /// there), host_error.
  static Expected<ListeningSocket> open(const std::string& path);

  ~ListeningSocket();
  ListeningSocket(ListeningSocket&&) noexcept = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  /// Readable when a peer waits.
  [[nodiscard]] int get() const { return socket_.get(); }
  /// Owns nothing when there is none; errno says why.
  [[nodiscard]] base::UniqueFd accept() const;

 private:
  ListeningSocket(base::UniqueFd folder, std::string name, base::UniqueFd socket, ino_t inode)
      : folder_(std::move(folder)),
        name_(std::move(name)),
        socket_(std::move(socket)),
        inode_(inode) {}

  base::UniqueFd folder_;
  std::string name_;
  base::UniqueFd socket_;
  ino_t inode_;
};

/// Whether the process that made this connection ran as this user then.
bool is_own_user(int connection);

}  // namespace cellblock::rpc

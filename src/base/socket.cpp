#include "base/socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace cellblock::base {
namespace {

// SCM_MAX_FD of the kernel is 253; no message of ours carries more than a handful.
constexpr std::size_t kMaxDescriptors = 16;

void wait_writable(int socket) {
  pollfd entry{.fd = socket, .events = POLLOUT, .revents = 0};
  ::poll(&entry, 1, -1);
}

}  // namespace

FdPair make_socket_pair() {
  std::array<int, 2> fds{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0) return {};
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

FdPair make_pipe() {
  std::array<int, 2> fds{-1, -1};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return {};
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

bool send_all(int socket, std::string_view bytes, std::span<const int> descriptors) {
  if (descriptors.size() > kMaxDescriptors) {
    errno = EINVAL;
    return false;
  }
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
  while (!bytes.empty()) {
    iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        wait_writable(socket);
        continue;
      }
      return false;
    }
    descriptors = {};
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

IoStatus receive_some(int socket, std::string& bytes, std::vector<UniqueFd>& descriptors,
                      std::size_t capacity) {
  const std::size_t old_size = bytes.size();
  bytes.resize(old_size + capacity);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMaxDescriptors)> control{};
  iovec part{.iov_base = bytes.data() + old_size, .iov_len = capacity};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t received = 0;
  do {
    received = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  bytes.resize(old_size + (received > 0 ? static_cast<std::size_t>(received) : 0));
  if (received < 0) return errno == EAGAIN ? IoStatus::would_block : IoStatus::failed;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(fd);
    }
  }
  return received == 0 ? IoStatus::closed : IoStatus::ok;
}

IoStatus send_some(int socket, std::string_view bytes, std::size_t& written) {
  written = 0;
  ssize_t sent = 0;
  do {
    sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) {
    if (errno == EAGAIN) return IoStatus::would_block;
    return errno == EPIPE || errno == ECONNRESET ? IoStatus::closed : IoStatus::failed;
  }
  written = static_cast<std::size_t>(sent);
  return IoStatus::ok;
}

}  // namespace cellblock::base

#include "session/channel.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "python/gil.hpp"

namespace cellblock::session {
namespace {

/// Writes every part; moves the parts' bounds as it goes.
bool write_parts(int fd, std::span<iovec> parts) {
  while (!parts.empty()) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    auto left = static_cast<std::size_t>(sent);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (!parts.empty()) {
      parts.front().iov_base = static_cast<char*>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
  return true;
}

}  // namespace

Channel::Channel(int fd) : fd_(fd), owner_(::getpid()) {}

std::optional<protocol::Frame> Channel::receive() {
  std::array<char, 16'384> bytes;
  for (;;) {
    auto frame = parser_.next();
    if (!frame) return std::nullopt;
    if (*frame) return std::move(**frame);
    ssize_t count = 0;
    int error = 0;
    {
      const python::GilRelease unlocked;
      count = ::read(fd_, bytes.data(), bytes.size());
      error = errno;
    }
    // Signals that came before the request must not hit the request's code.
    python::run_pending_signals();
    if (count < 0 && error == EINTR) continue;
    if (count <= 0) return std::nullopt;
    parser_.feed({bytes.data(), static_cast<std::size_t>(count)});
  }
}

bool Channel::send(protocol::FrameType type, std::uint64_t id, std::string_view body,
                   std::span<const std::string_view> attachments) {
  std::vector<std::uint32_t> lengths;
  lengths.reserve(attachments.size());
  for (const auto attachment : attachments) {
    lengths.push_back(static_cast<std::uint32_t>(attachment.size()));
  }
  std::string head = protocol::encode_frame_head(type, id, body.size(), lengths);

  std::vector<iovec> parts;
  parts.reserve(attachments.size() + 2);
  const auto add = [&parts](std::string_view bytes) {
    if (!bytes.empty()) {
      parts.push_back({.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()});
    }
  };
  add(head);
  add(body);
  for (const auto attachment : attachments) add(attachment);

  if (!belongs_to_this_process()) return false;
  const std::lock_guard lock(write_mutex_);
  return write_parts(fd_, parts);
}

bool Channel::send_display(std::string_view body, std::span<const std::string_view> attachments) {
  return send(protocol::FrameType::display_event, current_execution_, body, attachments);
}

bool Channel::belongs_to_this_process() const { return ::getpid() == owner_; }

}  // namespace cellblock::session

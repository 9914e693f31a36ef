// One end of a frame connection in a test: reads with a bound, keeps what else arrives.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/socket.hpp"
#include "base/unique_fd.hpp"
#include "protocol/frame.hpp"

namespace cellblock::test {

using Clock = std::chrono::steady_clock;

/// Whether `fd` becomes readable (or hangs up) in time.
inline bool wait_readable(int fd, std::chrono::milliseconds limit) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, static_cast<int>(limit.count())) > 0;
}

class FrameStream final {
 public:
  explicit FrameStream(base::UniqueFd socket) : socket_(std::move(socket)) {}

  [[nodiscard]] int fd() const { return socket_.get(); }
  void close() { socket_.reset(); }

  bool send(protocol::FrameType type, std::uint64_t id, std::string_view body,
            std::span<const int> descriptors = {}) {
    return base::send_all(
        socket_.get(),
        protocol::encode_frame(type, id, body, {}, static_cast<std::uint16_t>(descriptors.size())),
        descriptors);
  }

  /// Nothing: closed, not a frame, or too late.
  std::optional<protocol::Frame> receive(std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    for (;;) {
      auto frame = parser_.next();
      if (!frame) return std::nullopt;
      if (*frame) return std::move(**frame);
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      if (left.count() <= 0 || !wait_readable(fd(), left)) return std::nullopt;
      std::string bytes;
      if (base::receive_some(fd(), bytes, descriptors_) != base::IoStatus::ok) return std::nullopt;
      parser_.feed(bytes);
    }
  }

  /// The next frame of this type; others before it are dropped.
  std::optional<protocol::Frame> receive(protocol::FrameType type,
                                         std::chrono::milliseconds limit) {
    while (auto frame = receive(limit)) {
      if (frame->type == type) return frame;
    }
    return std::nullopt;
  }

  std::vector<base::UniqueFd> take_descriptors() { return std::exchange(descriptors_, {}); }

 private:
  base::UniqueFd socket_;
  protocol::FrameParser parser_;
  std::vector<base::UniqueFd> descriptors_;
};

}  // namespace cellblock::test

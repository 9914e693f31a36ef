#include "rpc/line_reader.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace cellblock::rpc {

LineReader::Got LineReader::next(std::string& line) {
  while (true) {
    const std::size_t newline = buffer_.find('\n', scanned_);
    if (newline != std::string::npos) {
      const bool too_long = std::exchange(skipping_, false) || newline > max_line_bytes_;
      if (!too_long) line.assign(buffer_, 0, newline);
      buffer_.erase(0, newline + 1);
      scanned_ = 0;
      return too_long ? Got::too_long : Got::line;
    }
    scanned_ = buffer_.size();
    if (skipping_ || buffer_.size() > max_line_bytes_) {
      skipping_ = true;
      buffer_.clear();
      buffer_.shrink_to_fit();
      scanned_ = 0;
    }
    if (ended_ || !read_more()) {
      ended_ = true;
      if (std::exchange(skipping_, false)) return Got::too_long;
      if (buffer_.empty()) return Got::end;
      line = std::exchange(buffer_, {});
      scanned_ = 0;
      return Got::line;
    }
  }
}

bool LineReader::hung_up() const {
  std::array<pollfd, 2> waits = {pollfd{fd_, POLLRDHUP, 0}, pollfd{wake_fd_, POLLIN, 0}};
  return ::poll(waits.data(), waits.size(), 0) > 0;
}

bool LineReader::read_more() {
  std::array<pollfd, 2> waits = {pollfd{fd_, POLLIN, 0}, pollfd{wake_fd_, POLLIN, 0}};
  std::array<char, 65'536> chunk;
  while (true) {
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (waits[1].revents != 0) {
      buffer_.clear();
      return false;
    }
    const ssize_t count = ::read(fd_, chunk.data(), chunk.size());
    if (count > 0) {
      buffer_.append(chunk.data(), static_cast<std::size_t>(count));
      return true;
    }
    if (count == 0 || (errno != EINTR && errno != EAGAIN)) return false;
  }
}

}  // namespace cellblock::rpc

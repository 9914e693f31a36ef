// Lines from a descriptor, with a bound on their length.
#pragma once

#include <cstddef>
#include <string>

namespace cellblock::rpc {

/// For one thread. Does not own its descriptors.
class LineReader final {
 public:
  enum class Got {
    line,
    too_long,  ///< longer than the limit; the rest of it has been skipped
    end,       ///< end of input, a read error, or woken
  };

  /// Reading ends when `wake_fd` becomes readable.
  LineReader(int fd, int wake_fd, std::size_t max_line_bytes)
      : fd_(fd), wake_fd_(wake_fd), max_line_bytes_(max_line_bytes) {}

  /// Blocks. The line comes without its newline; a last line without one counts.
  Got next(std::string& line);

  /// Whether the other side has closed its end, even if unread lines are left; or woken.
  [[nodiscard]] bool hung_up() const;

 private:
  bool read_more();

  int fd_;
  int wake_fd_;
  std::size_t max_line_bytes_;
  std::string buffer_;
  std::size_t scanned_ = 0;
  bool skipping_ = false;
  bool ended_ = false;
};

}  // namespace cellblock::rpc

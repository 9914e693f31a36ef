// Where a command writes for its user.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/terminal_text.hpp"

namespace cellblock::cli {

/// One of the process's own output descriptors. Thread-safe.
class OutputStream final {
 public:
  explicit OutputStream(int fd);

  [[nodiscard]] bool is_terminal() const { return is_terminal_; }
  /// A terminal, and neither NO_COLOR nor TERM=dumb speak against it.
  [[nodiscard]] bool has_colour() const { return has_colour_; }

  /// Text from a session: harmless on a terminal, unchanged otherwise. May be a chunk.
  void pass(std::string_view text);
  /// A whole text from a session, which begins and ends a line.
  void pass_lines(std::string_view text, std::string_view colour = {});
  /// Our own words.
  void say(std::string_view text);

 private:
  void write(std::string_view text);
  void begin_line();

  const int fd_;
  const bool is_terminal_;
  const bool has_colour_;
  std::mutex mutex_;
  base::TerminalText filter_;
  bool at_line_start_ = true;
};

inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kYellow = "\x1b[33m";

struct Console {
  OutputStream out{1};
  OutputStream err{2};
};

/// "cellblock: <message>" on one line of standard error.
void complain(std::string_view message);

/// The same; returns the exit status for wrong usage or a set-up that cannot work.
int misuse(std::string_view message);
inline constexpr int kMisuse = 2;

}  // namespace cellblock::cli

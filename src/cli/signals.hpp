// The signals that a command at a terminal reacts to.
#pragma once

#include <cstddef>

namespace cellblock::cli {

/// While it lives, signals are noted instead of what they did before. At most one exists at a time:
/// signal handlers are the process's own.
class Signals final {
 public:
  enum class Watch {
    ends,      ///< SIGINT, SIGTERM, SIGHUP
    terminal,  ///< these and SIGWINCH, SIGCONT
  };

  explicit Signals(Watch watch);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// How many SIGINT came since the last call.
  int take_interrupts();
  /// SIGTERM or SIGHUP, or 0.
  [[nodiscard]] int ended_by() const;
  /// Whether the terminal's size may have changed since the last call.
  bool take_resized();
  /// Whether the process was stopped and goes on since the last call.
  bool take_continued();

  /// Readable (an eventfd) from the first signal on until clear_wake().
  [[nodiscard]] int wake_fd() const { return wake_fd_; }
  void clear_wake() const;

 private:
  std::size_t handled_;
  int wake_fd_;
};

}  // namespace cellblock::cli

#include "cli/console.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace cellblock::cli {
namespace {

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && term != nullptr &&
         std::string_view(term) != "dumb";
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace

OutputStream::OutputStream(int fd)
    : fd_(fd), is_terminal_(::isatty(fd) == 1), has_colour_(is_terminal_ && colour_wanted()) {}

void OutputStream::pass(std::string_view text) {
  const std::lock_guard lock(mutex_);
  write(is_terminal_ ? filter_.feed(text) : std::string(text));
}

void OutputStream::pass_lines(std::string_view text, std::string_view colour) {
  const std::lock_guard lock(mutex_);
  begin_line();
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string safe = is_terminal_ ? base::terminal_safe_text(text) : std::string(text);
  const bool coloured = has_colour_ && !colour.empty();
  write(coloured ? std::string(colour) + safe + "\x1b[0m\n" : safe + "\n");
}

void OutputStream::say(std::string_view text) {
  const std::lock_guard lock(mutex_);
  begin_line();
  write(std::string(text) + "\n");
}

void OutputStream::write(std::string_view text) {
  if (text.empty()) return;
  write_all(fd_, text);
  at_line_start_ = text.back() == '\n';
}

void OutputStream::begin_line() {
  write(filter_.finish());
  if (!at_line_start_) write("\n");
}

void complain(std::string_view message) {
  write_all(2, "cellblock: " + base::terminal_safe_line(message) + "\n");
}

int misuse(std::string_view message) {
  complain(message);
  return kMisuse;
}

}  // namespace cellblock::cli

// Text from a session, made harmless for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace cellblock::base {

/// What could move the cursor, change the terminal or reorder text is shown instead of done: ESC as
/// `\x1b`, other control characters (C0 but newline and tab, DEL, C1, bytes that are no UTF-8) as
/// `\xNN`, carriage return as `\r`, bidi embeddings, overrides and isolates as `\u202e`. A carriage
/// return before a newline is left out.
///
/// Takes chunks as they come: what a chunk cuts in two waits for the next one.
class TerminalText final {
 public:
  std::string feed(std::string_view text);
  /// What still waits.
  std::string finish();

 private:
  std::string waiting_;
};

/// The same for a whole text.
std::string terminal_safe_text(std::string_view text);

/// The same on one line: newline and tab are shown as `\n` and `\t`.
std::string terminal_safe_line(std::string_view text);

}  // namespace cellblock::base

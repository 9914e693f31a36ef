// What the user asks of the REPL: code or one of its commands.
#pragma once

#include <string>
#include <string_view>

namespace cellblock::cli {

struct ReplLine {
  enum class Kind { empty, code, vars, reset, time, run, write, help, leave, unknown, incomplete };
  Kind kind = Kind::empty;
  /// The code; what follows the command; for `unknown` the command; for `incomplete` what to say.
  std::string argument;
};

/// A command begins with a colon, which no Python statement does. `exit`, `quit`, `exit()` and
/// `quit()` alone leave.
ReplLine parse_repl_line(std::string_view cell);

/// The text of `:help`.
std::string_view repl_help();

}  // namespace cellblock::cli

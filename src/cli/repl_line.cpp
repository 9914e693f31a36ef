#include "cli/repl_line.hpp"

#include <array>
#include <utility>

namespace cellblock::cli {
namespace {

using Kind = ReplLine::Kind;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

constexpr std::array<std::pair<std::string_view, Kind>, 6> kCommands = {{
    {":vars", Kind::vars},
    {":reset", Kind::reset},
    {":time", Kind::time},
    {":run", Kind::run},
    {":write", Kind::write},
    {":help", Kind::help},
}};

ReplLine command(std::string_view text) {
  const auto name = text.substr(0, text.find_first_of(" \t\n"));
  const std::string argument(trimmed(text.substr(name.size())));
  for (const auto& [known, kind] : kCommands) {
    if (name != known) continue;
    const bool needs_file = kind == Kind::run || kind == Kind::write;
    if (needs_file && argument.empty()) {
      return {Kind::incomplete,
              std::string(name) + " needs a file: " + std::string(name) + " FILE"};
    }
    const bool takes_none = kind == Kind::vars || kind == Kind::reset || kind == Kind::help;
    if (takes_none && !argument.empty()) {
      return {Kind::incomplete, std::string(name) + " takes nothing after it."};
    }
    return {kind, argument};
  }
  return {Kind::unknown, std::string(name)};
}

}  // namespace

ReplLine parse_repl_line(std::string_view cell) {
  const auto text = trimmed(cell);
  if (text.empty()) return {};
  if (text.starts_with(':')) return command(text);
  if (text == "exit" || text == "quit" || text == "exit()" || text == "quit()") {
    return {Kind::leave, {}};
  }
  return {Kind::code, std::string(cell)};
}

std::string_view repl_help() {
  return R"(:vars        the session's variables
:reset       begin again with no variables; files stay
:time CODE   run CODE and show how long it took
:time        show how long every cell takes, or stop showing it
:run FILE    run a local file as one cell
:write FILE  write the cells that ran without an error to a local file
:help        this text

Tab completes names. Ctrl-C clears the line or interrupts the cell, whose variables are kept.
Ctrl-D leaves. A block ends with an empty line.)";
}

}  // namespace cellblock::cli

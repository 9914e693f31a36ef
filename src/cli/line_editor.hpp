// One line of input from a person at a terminal.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/session.hpp"
#include "cli/signals.hpp"

namespace cellblock::cli {

/// Line editing with history and completion on the process's standard input and output (libedit;
/// ~/.editrc is respected). Sets LC_CTYPE so that UTF-8 works. For one thread.
class LineEditor final {
 public:
  /// Completes a line at a cursor; all numbers count code points.
  using Completer = std::function<Completion(const std::string& line, std::size_t cursor)>;

  LineEditor(Signals& signals, Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Got {
    line,
    interrupted,  ///< Ctrl-C
    end,          ///< Ctrl-D on an empty line, no more input, SIGTERM or SIGHUP
  };
  /// Blocks. The line begins with `indent`, which can be edited, unless more input is waiting: text
  /// that is pasted brings its own. The line may hold newlines when it was pasted or comes from the
  /// history.
  Got read(std::string_view prompt, std::string_view indent, std::string& line);

  void add_history(std::string_view entry);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What Tab does with a completion: the part of the line before the cursor that goes, what is put
/// there, and what is listed when that is no step forward. Matches that hold control characters
/// are left out: they come from the session.
struct CompletionStep {
  std::size_t remove = 0;
  std::string insert;
  std::vector<std::string> list;
};
CompletionStep plan_completion(const Completion& completion, std::string_view line,
                               std::size_t cursor);

}  // namespace cellblock::cli

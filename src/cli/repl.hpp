// The interactive loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/session.hpp"
#include "cli/cell_printer.hpp"
#include "cli/console.hpp"
#include "cli/engine.hpp"
#include "cli/history_file.hpp"
#include "cli/image_folder.hpp"
#include "cli/line_editor.hpp"
#include "cli/repl_line.hpp"
#include "cli/signals.hpp"

namespace cellblock::cli {

class Repl final {
 public:
  Repl(Engine engine, Session session, HistoryFile history);

  /// Until the user leaves. Returns the process's exit status.
  int run();

 private:
  enum class Next { go_on, leave };

  std::optional<std::string> read_cell();
  Next obey(const ReplLine& line);
  Next run_code(const std::string& code, bool timed);
  Completion complete(const std::string& line, std::size_t cursor);
  Completeness completeness(const std::string& code);
  void run_file(const std::string& path);
  void write_cells(const std::string& path);
  void show_variables();
  void reset();

  Engine engine_;
  Session session_;
  HistoryFile history_;
  Signals signals_{Signals::Watch::terminal};
  Console console_;
  ImageFolder images_;
  CellPrinter printer_;
  LineEditor editor_;
  std::string earlier_lines_;  // of the cell that is being typed, each with its newline
  std::vector<std::string> good_cells_;
  bool ended_ = false;
  bool times_every_cell_ = false;
};

}  // namespace cellblock::cli

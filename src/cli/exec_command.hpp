// `cellblock exec`: cells from the command line, files and standard input, in one session.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/engine.hpp"

namespace cellblock::cli {

struct ExecFlags {
  EngineFlags engine;
  std::vector<std::string> code;   ///< of -c
  std::vector<std::string> files;  ///< "-" is standard input
  std::vector<std::string> uploads;
  std::vector<std::string> redactions;  ///< COLUMN=RULE, for every upload
  std::optional<double> timeout_s;
  bool json = false;
  bool keep_going = false;
};

/// One cell to run, in the order of the command line.
struct CellSource {
  enum class Kind { code, file };
  Kind kind = Kind::code;
  std::string text;  ///< the code itself or the file's name
};

/// The command's parser; `flags` outlives it.
CLI::App* add_exec_command(CLI::App& app, ExecFlags& flags);

/// The cells as they stand on the command line that `command` has parsed.
std::vector<CellSource> cells_in_order(const CLI::App& command, const ExecFlags& flags);

/// Returns the process's exit status.
int exec_cells(const ExecFlags& flags, const std::vector<CellSource>& sources);

}  // namespace cellblock::cli

// `cellblock serve`: sessions for a program.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/engine.hpp"

namespace cellblock::cli {

struct ServeFlags {
  EngineFlags engine;
  bool stdio = false;
  std::string socket;  ///< a path; empty: not asked for
};

/// The command's parser; `flags` outlives it.
CLI::App* add_serve_command(CLI::App& app, ServeFlags& flags);

/// Returns the process's exit status. Threads may still run then: leave with _Exit.
int serve(const ServeFlags& flags);

}  // namespace cellblock::cli

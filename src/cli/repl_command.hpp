// `cellblock repl`: a session for a person at a terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/engine.hpp"

namespace cellblock::cli {

/// The command's parser; `flags` outlives it.
CLI::App* add_repl_command(CLI::App& app, EngineFlags& flags);

/// Returns the process's exit status.
int repl(const EngineFlags& flags);

}  // namespace cellblock::cli

// `cellblock mcp`: the tools for a model's client.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/engine.hpp"

namespace cellblock::cli {

struct McpFlags {
  EngineFlags engine;
};

/// The command's parser; `flags` outlives it.
CLI::App* add_mcp_command(CLI::App& app, McpFlags& flags);

/// Returns the process's exit status. Threads may still run then: leave with _Exit.
int serve_mcp(const McpFlags& flags);

}  // namespace cellblock::cli

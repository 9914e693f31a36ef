// `cellblock tool-schema`: execute_python's definition for a model's interface.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/engine.hpp"

namespace cellblock::cli {

struct ToolSchemaFlags {
  EngineFlags engine;
  std::string format;
  bool prompt = false;
};

/// The command's parser; `flags` outlives it.
CLI::App* add_tool_schema_command(CLI::App& app, ToolSchemaFlags& flags);

/// Returns the process's exit status.
int tool_schema(const ToolSchemaFlags& flags);

}  // namespace cellblock::cli

// `cellblock mcp --http`: MCP for clients that connect.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mcp/server.hpp"

namespace cellblock::cli {

struct McpHttpFlags {
  std::optional<std::string> address;  ///< nothing: not over HTTP
  std::optional<std::string> token_file;
  bool no_token = false;
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
};

void add_mcp_http_flags(CLI::App& command, McpHttpFlags& flags);

/// Takes $CELLBLOCK_HTTP_TOKEN out of the environment, looks at the executor with `check`, tells
/// where it listens, and serves until a signal ends it. Returns the process's exit status.
/// Precondition: there is an address.
int serve_mcp_http(const McpHttpFlags& flags, mcp::ServerOptions options,
                   const std::function<Expected<void>(Executor&)>& check);

}  // namespace cellblock::cli

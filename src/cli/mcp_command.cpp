#include "cli/mcp_command.hpp"

#include <csignal>
#include <utility>

#include "cli/console.hpp"
#include "cli/large_buffers.hpp"
#include "cli/signals.hpp"
#include "mcp/stdio.hpp"
#include "rpc/private_stdio.hpp"

namespace cellblock::cli {

CLI::App* add_mcp_command(CLI::App& app, McpFlags& flags) {
  auto* command = app.add_subcommand(
      "mcp",
      "Serve execute_python and its companions to an MCP client, on standard input and output");
  add_mcp_http_flags(*command, flags.http);
  add_engine_flags(*command, flags.engine, AuditDefault::state_folder);
  add_session_flags(*command, flags.engine);
  command->footer(
      "--policy is what every session gets; a client can only ask for less. The server ends when\n"
      "its standard input is closed; over HTTP, with a signal. docs/mcp.md and docs/mcp-http.md\n"
      "tell how clients are set up.");
  return command;
}

int serve_mcp(const McpFlags& flags) {
  give_back_large_buffers();
  auto policy = read_policy(flags.engine.policy_file);
  if (!policy) return misuse(policy.error().message);
  auto options = executor_options(flags.engine, AuditDefault::state_folder);
  if (!options) return misuse(options.error().message);

  const auto check = [&flags](Executor& executor) -> Expected<void> {
    auto info = check_engine(executor, flags.engine);
    if (!info) return std::move(info).error();
    return {};
  };
  if (flags.http.address) {
    return serve_mcp_http(flags.http,
                          {.executor = std::move(*options), .policy = std::move(*policy)}, check);
  }

  auto stdio = rpc::take_stdio();
  if (!stdio) return misuse(stdio.error().message);
  std::signal(SIGPIPE, SIG_IGN);
  // These signals end the server as a closed standard input does.
  const Signals signals(Signals::Watch::ends);
  const auto ended =
      mcp::serve_stdio(std::move(stdio->input), std::move(stdio->output), signals.wake_fd(),
                       {.server = {.executor = std::move(*options),
                                   .policy = std::move(*policy),
                                   .unnamed_session = tool::UnnamedSession::own,
                                   .oldest_version = "2024-11-05"},
                        .check = check});
  return ended ? 0 : misuse(ended.error().message);
}

}  // namespace cellblock::cli

#include "cli/serve_command.hpp"

#include <csignal>
#include <utility>

#include "cli/console.hpp"
#include "cli/signals.hpp"
#include "rpc/private_stdio.hpp"
#include "rpc/server.hpp"

namespace cellblock::cli {

CLI::App* add_serve_command(CLI::App& app, ServeFlags& flags) {
  auto* command = app.add_subcommand("serve", "Serve sessions to a program");
  command->add_flag("--stdio", flags.stdio,
                    "JSON-RPC 2.0 over standard input and output, a JSON object a line");
  add_engine_flags(*command, flags.engine);
  add_session_flags(*command, flags.engine);
  command->footer(
      "--policy is the policy of sessions that are opened without one. The server ends when its\n"
      "standard input is closed.");
  return command;
}

int serve(const ServeFlags& flags) {
  if (!flags.stdio) return misuse("Say how to serve: cellblock serve --stdio.");
  auto policy = read_policy(flags.engine.policy_file);
  if (!policy) return misuse(policy.error().message);
  auto options = executor_options(flags.engine, AuditDefault::state_folder);
  if (!options) return misuse(options.error().message);

  auto stdio = rpc::take_stdio();
  if (!stdio) return misuse(stdio.error().message);
  std::signal(SIGPIPE, SIG_IGN);
  // These signals end the server as a closed standard input does.
  const Signals signals(Signals::Watch::ends);
  const auto ended =
      rpc::serve(std::move(stdio->input), std::move(stdio->output), signals.wake_fd(),
                 {.executor = std::move(*options),
                  .policy = std::move(*policy),
                  .check = [&flags](Executor& executor) -> Expected<void> {
                    auto info = check_engine(executor, flags.engine);
                    if (!info) return std::move(info).error();
                    return {};
                  }});
  return ended ? 0 : misuse(ended.error().message);
}

}  // namespace cellblock::cli

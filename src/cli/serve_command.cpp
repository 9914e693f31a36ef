#include "cli/serve_command.hpp"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "cli/console.hpp"
#include "cli/large_buffers.hpp"
#include "cli/signals.hpp"
#include "rpc/private_stdio.hpp"
#include "rpc/server.hpp"
#include "rpc/socket_server.hpp"

namespace cellblock::cli {

namespace {

Expected<void> serve_stdio(const rpc::ServerOptions& options) {
  auto stdio = rpc::take_stdio();
  if (!stdio) return std::move(stdio).error();
  // These signals end the server as a closed standard input does.
  const Signals signals(Signals::Watch::ends);
  return rpc::serve(std::move(stdio->input), std::move(stdio->output), signals.wake_fd(), options);
}

Expected<void> serve_socket(const std::string& path, const rpc::ServerOptions& options) {
  const Signals signals(Signals::Watch::ends);
  auto listener = rpc::ListeningSocket::open(path);
  if (!listener) return std::move(listener).error();
  // For who starts it and waits until it can be connected to.
  OutputStream(STDOUT_FILENO).say("serving at " + path + "\n");
  return rpc::serve_socket(*std::move(listener), signals.wake_fd(), options);
}

}  // namespace

CLI::App* add_serve_command(CLI::App& app, ServeFlags& flags) {
  auto* command = app.add_subcommand("serve", "Serve sessions to programs");
  auto* stdio = command->add_flag(
      "--stdio", flags.stdio, "JSON-RPC 2.0 over standard input and output, a JSON object a line");
  command
      ->add_option("--socket", flags.socket,
                   "The same for many programs of this user, over a unix socket at PATH")
      ->type_name("PATH")
      ->excludes(stdio);
  add_engine_flags(*command, flags.engine, AuditDefault::state_folder);
  add_session_flags(*command, flags.engine);
  command->footer(
      "--policy is the policy of sessions that are opened without one. With --stdio the server\n"
      "ends when its standard input is closed, with --socket when it gets SIGTERM.");
  return command;
}

int serve(const ServeFlags& flags) {
  give_back_large_buffers();
  if (!flags.stdio && flags.socket.empty()) {
    return misuse("Say how to serve: cellblock serve --stdio, or --socket PATH.");
  }
  auto policy = read_policy(flags.engine.policy_file);
  if (!policy) return misuse(policy.error().message);
  auto executor = executor_options(flags.engine, AuditDefault::state_folder);
  if (!executor) return misuse(executor.error().message);
  const rpc::ServerOptions options{.executor = std::move(*executor),
                                   .policy = std::move(*policy),
                                   .check = [&flags](Executor& made) -> Expected<void> {
                                     auto info = check_engine(made, flags.engine);
                                     if (!info) return std::move(info).error();
                                     return {};
                                   }};

  std::signal(SIGPIPE, SIG_IGN);
  const auto ended = flags.stdio ? serve_stdio(options) : serve_socket(flags.socket, options);
  return ended ? 0 : misuse(ended.error().message);
}

}  // namespace cellblock::cli

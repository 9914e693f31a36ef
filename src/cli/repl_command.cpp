#include "cli/repl_command.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

#include "cellblock/version.hpp"
#include "cli/console.hpp"
#include "cli/exec_command.hpp"
#include "cli/repl.hpp"
#include "cli/state_folder.hpp"
#include "cli/terminal_pictures.hpp"

namespace cellblock::cli {
namespace {

// A person who comes back from lunch finds the session as it was.
constexpr std::chrono::hours kIdle{24};

/// Figures as the terminal can show them, tables as wide as it is; the policy's own word counts.
void fit_to_terminal(SecurityPolicy& policy) {
  policy.env.try_emplace("CELLBLOCK_FIGURE_FORMATS", figure_formats(picture_protocol()));
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    policy.env.try_emplace("COLUMNS", std::to_string(size.ws_col));
  }
}

std::string history_path() {
  auto folder = state_folder();
  return folder ? *folder + "/history" : std::string();
}

std::string greeting(Executor& executor, const Session& session) {
  const auto info = executor.info();
  std::string text = "Cellblock " + std::string(version());
  if (info) text += ", Python " + info->python_version;
  return text + ", isolation: " + session.isolation().level + ". :help for help, Ctrl-D to leave.";
}

}  // namespace

CLI::App* add_repl_command(CLI::App& app, EngineFlags& flags) {
  auto* command = app.add_subcommand("repl", "Work in a session interactively (the default)");
  add_engine_flags(*command, flags, AuditDefault::state_folder);
  command->footer(
      "Without a terminal, standard input is run as one cell, as `cellblock exec -` does.");
  return command;
}

int repl(const EngineFlags& flags) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    ExecFlags exec;
    exec.engine = flags;
    return exec_cells(exec, {{CellSource::Kind::file, "-"}});
  }
  auto engine = start_engine(flags, AuditDefault::state_folder);
  if (!engine) return misuse(engine.error().message);
  if (flags.policy_file.empty()) engine->policy.idle_ttl = engine->policy.session_ttl = kIdle;
  fit_to_terminal(engine->policy);
  auto session = engine->executor->open_session(engine->policy);
  if (!session) return misuse(session.error().message);
  Console().err.say(greeting(*engine->executor, *session));
  return Repl(*std::move(engine), *std::move(session), HistoryFile(history_path())).run();
}

}  // namespace cellblock::cli

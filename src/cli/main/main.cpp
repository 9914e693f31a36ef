// The `cellblock` command.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cellblock/version.hpp"
#include "cli/console.hpp"
#include "cli/doctor_command.hpp"
#include "cli/exec_command.hpp"
#include "cli/mcp_command.hpp"
#include "cli/repl_command.hpp"
#include "cli/serve_command.hpp"
#include "cli/tool_schema_command.hpp"

namespace cellblock::cli {
namespace {

struct Command {
  CLI::App app{"Run Python in sandboxed sessions of real CPython.", "cellblock"};
  EngineFlags repl_flags;
  ExecFlags exec_flags;
  ServeFlags serve_flags;
  McpFlags mcp_flags;
  ToolSchemaFlags tool_schema_flags;
  DoctorFlags doctor_flags;
  CLI::App* repl_parser = add_repl_command(app, repl_flags);
  CLI::App* exec_parser = add_exec_command(app, exec_flags);
  CLI::App* serve_parser = add_serve_command(app, serve_flags);
  CLI::App* mcp_parser = add_mcp_command(app, mcp_flags);
  CLI::App* tool_schema_parser = add_tool_schema_command(app, tool_schema_flags);
  CLI::App* doctor_parser = add_doctor_command(app, doctor_flags);

  Command() {
    app.set_version_flag("--version", "cellblock " + std::string(version()));
    app.require_subcommand(0, 1);
    app.footer("Without a command: repl. `cellblock COMMAND --help` tells the command's flags.");
  }

  int run() {
    if (exec_parser->parsed()) {
      return exec_cells(exec_flags, cells_in_order(*exec_parser, exec_flags));
    }
    if (serve_parser->parsed()) return serve(serve_flags);
    if (mcp_parser->parsed()) return serve_mcp(mcp_flags);
    if (tool_schema_parser->parsed()) return tool_schema(tool_schema_flags);
    if (doctor_parser->parsed()) return doctor(doctor_flags);
    return repl(repl_flags);
  }
};

// The parser's own message can have several lines and names no way out.
int explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const auto used = app.get_subcommands();
  const std::string command = used.empty() ? "cellblock" : "cellblock " + used.front()->get_name();
  return misuse(message + (message.ends_with('.') ? "" : ".") + " See " + command + " --help.");
}

// Without a command it is repl, whose flags may stand alone.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  constexpr std::array kOwn = {"-h", "--help", "--version"};
  if (!arguments.empty() && arguments.front().starts_with('-') &&
      std::find(kOwn.begin(), kOwn.end(), arguments.front()) == kOwn.end()) {
    arguments.insert(arguments.begin(), "repl");
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  return arguments;
}

int run(int argc, char** argv) {
  Command command;
  try {
    command.app.parse(arguments_of(argc, argv));
  } catch (const CLI::Success& success) {  // --help, --version
    return command.app.exit(success);
  } catch (const CLI::ParseError& error) {
    return explain(command.app, error);
  }
  return command.run();
}

}  // namespace
}  // namespace cellblock::cli

int main(int argc, char** argv) {
  int status = cellblock::cli::kMisuse;
  try {
    status = cellblock::cli::run(argc, argv);
  } catch (const std::exception& error) {
    cellblock::cli::complain(std::string("internal error: ") + error.what() + ".");
  }
  std::cout.flush();
  std::fflush(nullptr);
  // Threads of a server may still be ending sessions; they end with the process.
  std::_Exit(status);
}

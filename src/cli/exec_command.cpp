#include "cli/exec_command.hpp"

#include <unistd.h>

#include <chrono>
#include <map>
#include <utility>

#include "cli/cell_printer.hpp"
#include "cli/console.hpp"
#include "cli/local_file.hpp"
#include "cli/run_cell.hpp"
#include "cli/uploads.hpp"

namespace cellblock::cli {
namespace {

constexpr double kMaxTimeoutSeconds = 2'592'000;
constexpr int kInterrupted = 130;

std::vector<CellSource> or_standard_input(std::vector<CellSource> sources) {
  if (sources.empty() && ::isatty(STDIN_FILENO) == 0) {
    sources.push_back({CellSource::Kind::file, "-"});
  }
  return sources;
}

Expected<std::string> load(const CellSource& source) {
  if (source.kind == CellSource::Kind::code) return as_source(source.text, "The code of -c");
  const bool from_stdin = source.text == "-";
  const std::string name = from_stdin ? "standard input" : source.text;
  auto text = from_stdin ? read_all(STDIN_FILENO, name) : read_file(source.text);
  if (!text) return text;
  return as_source(*std::move(text), name);
}

// Everything is read before anything runs: a missing file costs no half-done work.
Expected<std::vector<std::string>> load_all(const std::vector<CellSource>& sources) {
  std::vector<std::string> cells;
  for (const auto& source : sources) {
    auto code = load(source);
    if (!code) return std::move(code).error();
    cells.push_back(*std::move(code));
  }
  return cells;
}

std::string tell_image(const DisplayData::Mime& image) {
  return "[" + image.type + ", " + std::to_string(image.data.size()) +
         " bytes; use --json to get it]";
}

class Cells {
 public:
  Cells(const ExecFlags& flags, Session session) : flags_(flags), session_(std::move(session)) {
    if (flags.timeout_s) {
      options_.timeout = std::chrono::ceil<std::chrono::milliseconds>(
          std::chrono::duration<double>(*flags.timeout_s));
    }
  }

  int run(const std::vector<std::string>& cells) {
    int exit_status = 0;
    for (const auto& code : cells) {
      const auto result =
          run_cell(session_, code, options_, callbacks(), signals_, OnSecondInterrupt::leave);
      if (!result) return signals_.ended_by() != 0 ? 128 + signals_.ended_by() : kInterrupted;
      show(*result);
      if (result->exit_code == 0) continue;
      exit_status = result->exit_code & 0xff;
      if (result->status == Status::cancelled || !flags_.keep_going) break;
    }
    return exit_status;
  }

 private:
  RunCallbacks callbacks() { return flags_.json ? RunCallbacks{} : printer_.callbacks(); }

  void show(const ExecutionResult& result) {
    if (flags_.json) {
      // Not for a terminal's eyes: the JSON text itself holds no control characters.
      console_.out.say(result.to_json());
    } else {
      printer_.finish(result);
    }
  }

  const ExecFlags& flags_;
  Signals signals_{Signals::Watch::ends};
  Console console_;
  CellPrinter printer_{console_, tell_image};
  RunOptions options_;
  Session session_;
};

}  // namespace

CLI::App* add_exec_command(CLI::App& app, ExecFlags& flags) {
  auto* command = app.add_subcommand("exec", "Run cells in one session");
  command->add_option("-c,--code", flags.code, "Code, as one cell")
      ->type_name("CODE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("cells", flags.files, "Files, each one cell; - is standard input")
      ->type_name("FILE");
  command
      ->add_option("--file", flags.uploads, "Put a local file or folder into the workspace first")
      ->type_name("LOCAL[:NAME]")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--redact", flags.redactions,
                   "What happens to a column of every --file before the session gets it:\n"
                   "drop, mask or hash")
      ->type_name("COLUMN=RULE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--timeout", flags.timeout_s, "Seconds for each cell; the policy may have less")
      ->type_name("SECONDS");
  command->add_flag("--json", flags.json, "Print one result a line, as JSON, and nothing else");
  command->add_flag("--keep-going", flags.keep_going, "Run the next cells after one that fails");
  add_engine_flags(*command, flags.engine, AuditDefault::nowhere);
  command->footer(
      "-c and FILE may be given many times and run in the order of the command line, each as a\n"
      "cell of the same session. Without any, standard input is the one cell.\n\n"
      "Exit status: 0; 1 error; n for sys.exit(n); 124 timeout; 137 memory; 152 CPU time;\n"
      "130 interrupted; 128+signal crashed; 125 failure of Cellblock; 2 wrong usage.");
  return command;
}

std::vector<CellSource> cells_in_order(const CLI::App& command, const ExecFlags& flags) {
  std::vector<CellSource> sources;
  std::map<std::string, std::size_t> seen;
  for (const CLI::Option* option : command.parse_order()) {
    const std::string name = option->get_name();
    if (name != "--code" && name != "cells") continue;
    const std::size_t index = seen[name]++;
    if (name == "cells") {
      sources.push_back({CellSource::Kind::file, flags.files.at(index)});
    } else {
      sources.push_back({CellSource::Kind::code, flags.code.at(index)});
    }
  }
  return sources;
}

int exec_cells(const ExecFlags& flags, const std::vector<CellSource>& given) {
  const auto sources = or_standard_input(given);
  if (sources.empty()) {
    return misuse("Nothing to run; give -c CODE, a FILE, or - for standard input.");
  }
  if (flags.timeout_s && !(*flags.timeout_s > 0 && *flags.timeout_s <= kMaxTimeoutSeconds)) {
    return misuse("--timeout must be greater than 0 and at most 2592000 seconds.");
  }
  const auto cells = load_all(sources);
  if (!cells) return misuse(cells.error().message);
  auto engine = start_engine(flags.engine, AuditDefault::nowhere);
  if (!engine) return misuse(engine.error().message);
  auto session = engine->executor->open_session(engine->policy);
  if (!session) return misuse(session.error().message);
  const auto redaction = parse_redaction(flags.redactions);
  if (!redaction) return misuse("--redact: " + redaction.error().message);
  for (const auto& upload : flags.uploads) {
    if (auto done = upload_local_file(*session, upload, *redaction); !done) {
      return misuse("--file: " + done.error().message);
    }
  }
  return Cells(flags, std::move(*session)).run(*cells);
}

}  // namespace cellblock::cli

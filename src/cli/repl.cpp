#include "cli/repl.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "cli/local_file.hpp"
#include "cli/run_cell.hpp"

namespace cellblock::cli {
namespace {

std::string times(const Usage& usage) {
  std::array<char, 80> text{};
  const int length = std::snprintf(text.data(), text.size(), "wall %.1f ms, CPU %.1f ms",
                                   usage.wall_ms, usage.cpu_ms);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

Repl::Repl(Engine engine, Session session, HistoryFile history)
    : engine_(std::move(engine)),
      session_(std::move(session)),
      history_(std::move(history)),
      printer_(
          console_, [this](const auto& image) { return images_.keep(image); }, picture_protocol()),
      editor_(signals_, [this](const auto& line, auto cursor) { return complete(line, cursor); }) {
  for (const auto& entry : history_.load()) editor_.add_history(entry);
}

int Repl::run() {
  while (const auto cell = read_cell()) {
    const ReplLine line = parse_repl_line(*cell);
    if (line.kind == ReplLine::Kind::empty) continue;
    editor_.add_history(*cell);
    history_.append(*cell);
    if (obey(line) == Next::leave) break;
  }
  return signals_.ended_by() != 0 ? 128 + signals_.ended_by() : 0;
}

// Nothing: the user leaves.
std::optional<std::string> Repl::read_cell() {
  earlier_lines_.clear();
  std::string indent;
  while (true) {
    std::string line;
    switch (editor_.read(earlier_lines_.empty() ? ">>> " : "... ", indent, line)) {
      case LineEditor::Got::end:
        return std::nullopt;
      case LineEditor::Got::interrupted:
        return std::string();
      case LineEditor::Got::line:
        break;
    }
    // Enter on the indent that was offered ends the block, as on an empty line.
    const std::string code = earlier_lines_ + (line == indent ? "" : line);
    if (parse_repl_line(code).kind != ReplLine::Kind::code) return code;
    const Completeness answer = completeness(code + "\n");
    if (answer.status != "incomplete") {
      return code.substr(0, code.find_last_not_of(" \t\n") + 1);
    }
    earlier_lines_ = code + "\n";
    indent = answer.indent;
  }
}

Completeness Repl::completeness(const std::string& code) {
  auto answer = session_.is_complete(code);
  // Whatever is wrong shows when the code runs.
  return answer ? *std::move(answer) : Completeness{.status = "complete", .indent = {}};
}

Completion Repl::complete(const std::string& line, std::size_t cursor) {
  const std::size_t before = code_points(earlier_lines_);
  auto completion = session_.complete(earlier_lines_ + line, before + cursor);
  if (!completion || completion->start < before || completion->end < before) return {};
  completion->start -= before;
  completion->end -= before;
  return *std::move(completion);
}

Repl::Next Repl::obey(const ReplLine& line) {
  using Kind = ReplLine::Kind;
  switch (line.kind) {
    case Kind::empty:
      break;
    case Kind::code:
      return run_code(line.argument, times_every_cell_);
    case Kind::vars:
      show_variables();
      break;
    case Kind::reset:
      reset();
      break;
    case Kind::time:
      if (!line.argument.empty()) return run_code(line.argument, true);
      times_every_cell_ = !times_every_cell_;
      console_.err.say(times_every_cell_ ? "Every cell's time is shown." : "Times are not shown.");
      break;
    case Kind::run:
      run_file(line.argument);
      break;
    case Kind::write:
      write_cells(line.argument);
      break;
    case Kind::help:
      console_.out.say(repl_help());
      break;
    case Kind::leave:
      return Next::leave;
    case Kind::unknown:
      console_.err.pass_lines("There is no command " + line.argument + "; :help lists them.");
      break;
    case Kind::incomplete:
      console_.err.pass_lines(line.argument);
      break;
  }
  return ended_ ? Next::leave : Next::go_on;
}

Repl::Next Repl::run_code(const std::string& code, bool timed) {
  const auto result =
      run_cell(session_, code, {}, printer_.callbacks(), signals_, OnSecondInterrupt::wait);
  if (!result) return Next::leave;
  printer_.finish(*result);
  if (result->status == Status::ok) good_cells_.push_back(code);
  if (timed) console_.err.say(times(result->usage));
  return Next::go_on;
}

void Repl::run_file(const std::string& path) {
  auto text = read_file(path);
  if (text) text = as_source(*std::move(text), path);
  if (!text) return console_.err.pass_lines(text.error().message);
  ended_ = run_code(*text, times_every_cell_) == Next::leave;
}

void Repl::write_cells(const std::string& path) {
  std::string text;
  for (const auto& cell : good_cells_) {
    text.append(text.empty() ? "" : "\n").append(cell);
    if (!text.ends_with('\n')) text.push_back('\n');
  }
  if (const auto written = write_file(path, text); !written) {
    return console_.err.pass_lines(written.error().message);
  }
  console_.err.pass_lines("Wrote " + std::to_string(good_cells_.size()) + " cells to " + path +
                          ".");
}

void Repl::show_variables() {
  auto variables = session_.variables();
  if (!variables) {
    console_.err.pass_lines(variables.error().message);
    return;
  }
  if (variables->empty()) console_.out.say("No variables yet.");
  for (const auto& variable : *variables) {
    console_.out.pass_lines(variable.name + ": " + variable.summary);
  }
}

void Repl::reset() {
  auto done = session_.reset();
  if (!done) return console_.err.pass_lines(done.error().message);
  good_cells_.clear();
  console_.err.say("The session begins again; its files are still there.");
}

}  // namespace cellblock::cli

#include "cli/cell_printer.hpp"

#include <algorithm>

namespace cellblock::cli {
namespace {

constexpr std::size_t kMaxNames = 20;

std::string listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
    list.append(list.empty() ? "" : ", ").append(names[i]);
  }
  if (names.size() > kMaxNames) {
    list += " and " + std::to_string(names.size() - kMaxNames) + " more";
  }
  return list;
}

}  // namespace

RunCallbacks CellPrinter::callbacks() {
  shown_out_ = shown_err_ = 0;
  return {
      .on_stdout =
          [this](std::string_view text) {
            shown_out_ += text.size();
            console_.out.pass(text);
          },
      .on_stderr =
          [this](std::string_view text) {
            shown_err_ += text.size();
            console_.err.pass(text);
          },
      .on_display = [this](const DisplayData& data) { show(data); },
      .on_queued = {},
  };
}

void CellPrinter::show(const DisplayData& data) {
  for (const auto& mime : data.mime) {
    if (!mime.type.starts_with("image/")) continue;
    const std::string picture = to_terminal(pictures_, mime);
    if (picture.empty()) {
      console_.err.pass_lines(tell_image_(mime));
    } else {
      console_.out.say(picture);
    }
  }
  // The main result's text comes with the result.
  if (const auto* text = data.find("text/plain"); text != nullptr && !data.is_main_result) {
    console_.out.pass_lines(*text);
  }
}

void CellPrinter::finish(const ExecutionResult& result) {
  tell_unseen("stdout", result.out_truncated, shown_out_);
  tell_unseen("stderr", result.err_truncated, shown_err_);
  show_late(result);
  if (result.text) console_.out.pass_lines(*result.text);
  show_error(result);
  tell_state(result);
}

// More than the policy's spool_bytes is not streamed.
void CellPrinter::tell_unseen(std::string_view name, const std::optional<Truncation>& truncated,
                              Bytes shown) {
  if (!truncated || truncated->total_bytes <= shown) return;
  console_.err.pass_lines("[" + std::to_string(truncated->total_bytes - shown) + " more bytes of " +
                          std::string(name) + " are not shown]");
}

void CellPrinter::show_late(const ExecutionResult& result) {
  if (result.late_out.empty() && result.late_err.empty()) return;
  console_.err.pass_lines("[written in the background before this cell:]");
  if (!result.late_out.empty()) console_.out.pass_lines(result.late_out);
  if (!result.late_err.empty()) console_.err.pass_lines(result.late_err);
}

void CellPrinter::show_error(const ExecutionResult& result) {
  if (!result.error) {
    if (result.status != Status::ok && result.status != Status::exit) {
      console_.err.pass_lines("The cell ended: " + std::string(to_string(result.status)) + ".",
                              kRed);
    }
    return;
  }
  const ExecutionError& error = *result.error;
  if (!error.traceback.empty()) console_.err.pass_lines(error.traceback, kRed);
  // A traceback tells where the code was; what ended it may be something else.
  if (error.traceback.empty() || result.status != Status::error) {
    console_.err.pass_lines(error.name + ": " + error.value, kRed);
  }
  if (!error.hint.empty()) console_.err.pass_lines("Hint: " + error.hint, kYellow);
}

void CellPrinter::tell_state(const ExecutionResult& result) {
  if (result.state == State::kept) return;
  std::string told = result.state == State::lost
                         ? "The session was started again: its variables are gone"
                         : "The session went back to its last checkpoint";
  if (!result.lost_names.empty()) told += " (" + listed(result.lost_names) + ")";
  console_.err.pass_lines(told + ".", kYellow);
}

}  // namespace cellblock::cli

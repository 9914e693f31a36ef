// The text of a result for a model: bounded, ordered, the most useful first.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/terminal_text.hpp"
#include "base/utf8.hpp"
#include "cellblock/result.hpp"

namespace cellblock {
namespace {

constexpr std::size_t kMaxNames = 20;
constexpr std::string_view kMark = "\n… [cut] …\n";

std::string prefix(std::string_view text, std::size_t room) {
  return std::string(text.substr(0, base::floor_to_character(text, room)));
}

/// At most `room` bytes of valid UTF-8: the head, a mark, and the tail, where errors and totals
/// are.
std::string cut(std::string_view text, std::size_t room) {
  if (text.size() <= room) return std::string(text);
  if (room <= kMark.size() + 8) return prefix(text, room);
  std::string shown = prefix(text, (room - kMark.size()) * 2 / 3);
  shown += kMark;
  const std::size_t tail = room - shown.size();
  shown += text.substr(base::ceil_to_character(text, text.size() - tail));
  return shown;
}

std::string_view without_last_newlines(std::string_view text) {
  const auto last = text.find_last_not_of('\n');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// One part of the text. `minimum`: what it may keep when others want room, in bytes.
struct Section {
  std::string title;
  std::string body;
  std::size_t minimum;
};

std::string ending(const ExecutionResult& result) {
  std::string text;
  if (result.status != Status::ok) {
    text = "status: " + std::string(to_string(result.status));
    if (result.status == Status::exit) text += ", exit code " + std::to_string(result.exit_code);
  }
  if (result.state == State::kept) return text;
  text += text.empty() ? "" : "\n";
  text += result.state == State::lost ? "the session was started again: its variables are gone"
                                      : "the session went back to its last checkpoint";
  return text;
}

/// A traceback tells where the code was; what ended it may be something else than the interrupt
/// that the code saw.
std::string traceback_text(Status status, const ExecutionError& error) {
  constexpr std::string_view kInterrupt = "KeyboardInterrupt";
  std::string ending = error.name + (error.value.empty() ? "" : ": " + error.value);
  std::string_view traceback = without_last_newlines(error.traceback);
  if (traceback.empty()) return ending;
  if (status == Status::error || traceback.ends_with(ending)) return std::string(traceback);
  if (traceback.substr(traceback.rfind('\n') + 1) == kInterrupt) {
    traceback.remove_suffix(kInterrupt.size());
    traceback = without_last_newlines(traceback);
  }
  return std::string(traceback) + (traceback.empty() ? "" : "\n") + ending;
}

std::string error_text(Status status, const ExecutionError& error) {
  const std::string hint = error.hint.empty() ? "" : "hint: " + error.hint + "\n";
  return hint + traceback_text(status, error);
}

std::string stream_text(const std::string& text, const std::optional<Truncation>& truncated) {
  std::string shown(without_last_newlines(text));
  if (truncated) {
    shown += "\n[" + std::to_string(truncated->omitted_bytes) + " of " +
             std::to_string(truncated->total_bytes) + " bytes were left out before]";
  }
  return shown;
}

std::string change_line(const VariableChange& change) {
  std::string line = change.name;
  if (!change.detail.empty()) {
    line += ": " + change.detail;
  } else if (!change.summary.empty()) {
    line += ": " + change.summary;
  }
  return line;
}

/// A line each, whatever names have in them, as many as are shown, and how many more there are.
template <class Item, class Line>
void add_lines(std::string& text, std::string_view verb, const std::vector<Item>& list,
               const Line& line) {
  for (std::size_t i = 0; i < std::min(list.size(), kMaxNames); ++i) {
    text.append(text.empty() ? "" : "\n").append(verb).append(" ");
    text.append(base::terminal_safe_line(line(list[i])));
  }
  if (list.size() > kMaxNames) {
    text.append("\n").append(verb).append(" ").append(std::to_string(list.size() - kMaxNames));
    text.append(" more");
  }
}

std::string changes_text(const Changes& changes) {
  std::string text;
  add_lines(text, "new", changes.added, change_line);
  add_lines(text, "changed", changes.changed, change_line);
  add_lines(text, "removed", changes.removed, change_line);
  return text;
}

std::string file_line(const FileInfo& file) {
  return file.path + " (" + std::to_string(file.size) + " bytes)";
}

std::string files_text(const FileChanges& files) {
  std::string text;
  add_lines(text, "created", files.created, file_line);
  add_lines(text, "changed", files.changed, file_line);
  add_lines(text, "deleted", files.deleted, file_line);
  return text;
}

/// What display() and figures showed, and at its end how many images there are.
std::string shown_text(const std::vector<DisplayData>& results) {
  std::string text;
  std::size_t images = 0;
  for (const DisplayData& data : results) {
    images += static_cast<std::size_t>(
        std::count_if(data.mime.begin(), data.mime.end(),
                      [](const auto& mime) { return mime.type.starts_with("image/"); }));
    const std::string* plain = data.find("text/plain");
    if (data.is_main_result || plain == nullptr) continue;
    text.append(text.empty() ? "" : "\n").append(*plain);
  }
  if (images > 0) {
    text.append(text.empty() ? "" : "\n");
    text.append("[").append(std::to_string(images)).append(images == 1 ? " image]" : " images]");
  }
  return text;
}

std::vector<Section> sections_of(const ExecutionResult& result) {
  std::vector<Section> sections;
  const auto add = [&sections](std::string title, const std::string& body, std::size_t minimum) {
    if (body.empty()) return;
    sections.push_back({std::move(title), base::to_valid_utf8(body), minimum});
  };
  add("", ending(result), 200);
  if (result.error) add("error", error_text(result.status, *result.error), 1500);
  if (result.text) add("value", *result.text, 1000);
  add("stdout", stream_text(result.out, result.out_truncated), 600);
  add("shown", shown_text(result.results), 300);
  add("stderr", stream_text(result.err, result.err_truncated), 300);
  add("variables", changes_text(result.changes), 300);
  add("files", files_text(result.files), 200);
  add("written in the background before", stream_text(result.late_out + result.late_err, {}), 100);
  return sections;
}

std::string heading(const Section& section) {
  return section.title.empty() ? "" : section.title + ":\n";
}

std::size_t cost_of(const Section& section, std::size_t body) {
  return heading(section).size() + body + 1;  // and the newline between sections
}

/// How much of each body is shown: all of it where everything fits; else each has its minimum in
/// order, and what is left goes to the first that want more.
std::vector<std::size_t> rooms_of(const std::vector<Section>& sections, std::size_t budget) {
  std::vector<std::size_t> rooms(sections.size(), 0);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::size_t fixed = cost_of(sections[i], 0);
    if (budget <= fixed) break;
    budget -= fixed;
    rooms[i] = std::min({sections[i].body.size(), sections[i].minimum, budget});
    budget -= rooms[i];
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (rooms[i] == 0) break;
    const std::size_t more = std::min(sections[i].body.size() - rooms[i], budget);
    rooms[i] += more;
    budget -= more;
  }
  return rooms;
}

}  // namespace

std::string ExecutionResult::to_model_text(Bytes budget) const {
  const std::vector<Section> sections = sections_of(*this);
  if (sections.empty()) return prefix("done, nothing to show", budget);
  const std::vector<std::size_t> rooms = rooms_of(sections, budget + 1);
  std::string text;
  for (std::size_t i = 0; i < sections.size() && rooms[i] > 0; ++i) {
    if (!text.empty()) text += '\n';
    text += heading(sections[i]) + cut(sections[i].body, rooms[i]);
  }
  return text;
}

}  // namespace cellblock

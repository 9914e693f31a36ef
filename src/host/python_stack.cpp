#include "host/python_stack.hpp"

#include <algorithm>
#include <vector>

#include "base/utf8.hpp"

namespace cellblock::host {
namespace {

constexpr std::string_view kMachinery = "\"<cellblock_runtime/";
constexpr std::size_t kMostFrames = 30;
constexpr std::size_t kLongestFrame = 300;

struct Thread {
  bool is_current = false;
  bool runs_cell = false;
  bool is_deep = false;
  std::vector<std::string_view> frames;  // the newest first
};

std::vector<Thread> read_threads(std::string_view dump) {
  std::vector<Thread> threads;
  while (!dump.empty()) {
    const std::string_view line = dump.substr(0, dump.find('\n'));
    dump.remove_prefix(std::min(line.size() + 1, dump.size()));
    const bool is_current = line.starts_with("Current thread 0x");
    if (is_current || line.starts_with("Thread 0x")) {
      threads.push_back({.is_current = is_current, .frames = {}});
    } else if (threads.empty()) {
      continue;
    } else if (line == "  ...") {
      threads.back().is_deep = true;
    } else if (line.starts_with("  File \"")) {
      if (line.find(kMachinery) != std::string_view::npos) {
        threads.back().runs_cell = true;
      } else {
        threads.back().frames.push_back(line);
      }
    }
  }
  return threads;
}

/// The last one, since there may be an older dump before it.
const Thread* choose(const std::vector<Thread>& threads, StackOf wanted) {
  const auto last = [&](auto is_it) {
    const auto found = std::find_if(threads.rbegin(), threads.rend(), is_it);
    return found == threads.rend() ? nullptr : &*found;
  };
  if (wanted == StackOf::cell) {
    // A deep stack ends before the machinery's frames.
    if (const Thread* thread = last([](const Thread& one) { return one.runs_cell; })) return thread;
  }
  return last([](const Thread& one) { return one.is_current; });
}

/// "  File "x", line 1 in f" as a traceback has it.
std::string frame_text(std::string_view frame) {
  std::string text = base::to_valid_utf8(frame.substr(0, kLongestFrame));
  const auto line = text.rfind("\", line ");
  const auto in = line == std::string::npos ? line : text.find(" in ", line);
  if (in != std::string::npos) text.insert(in, 1, ',');
  return text + "\n";
}

}  // namespace

PythonStack read_python_stack(std::string_view dump, StackOf wanted) {
  const auto threads = read_threads(dump);
  const Thread* const thread = choose(threads, wanted);
  if (thread == nullptr || thread->frames.empty()) return {};
  PythonStack stack{.traceback = "Traceback (most recent call last):\n",
                    .is_deep = thread->is_deep};
  const std::size_t shown = std::min(thread->frames.size(), kMostFrames);
  if (thread->is_deep || shown < thread->frames.size()) {
    stack.traceback += "  [older frames left out]\n";
  }
  for (std::size_t i = shown; i > 0; --i) stack.traceback += frame_text(thread->frames[i - 1]);
  stack.traceback.pop_back();
  return stack;
}

}  // namespace cellblock::host

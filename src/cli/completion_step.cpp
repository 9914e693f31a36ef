// How Tab completes; apart from the terminal, so that it can be tested.
#include <algorithm>

#include "base/terminal_text.hpp"
#include "cli/line_editor.hpp"
#include "cli/wide_text.hpp"

namespace cellblock::cli {
namespace {

std::wstring common_prefix(const std::vector<std::wstring>& texts) {
  std::wstring prefix = texts.front();
  for (const auto& text : texts) {
    const auto [end, other] = std::mismatch(prefix.begin(), prefix.end(), text.begin(), text.end());
    prefix.erase(end, prefix.end());
  }
  return prefix;
}

}  // namespace

CompletionStep plan_completion(const Completion& completion, std::string_view line,
                               std::size_t cursor) {
  std::vector<std::wstring> matches;
  for (const auto& match : completion.matches) {
    if (!match.empty() && base::terminal_safe_line(match) == match)
      matches.push_back(to_wide(match));
  }
  const std::wstring typed = to_wide(line);
  if (matches.empty() || cursor > typed.size() || completion.start > cursor) return {};
  const std::wstring present = typed.substr(completion.start, cursor - completion.start);
  const std::wstring prefix = common_prefix(matches);
  if (prefix.size() > present.size() || (matches.size() == 1 && prefix != present)) {
    return {.remove = present.size(), .insert = to_utf8(prefix), .list = {}};
  }
  CompletionStep step;
  if (matches.size() > 1) {
    for (const auto& match : matches) step.list.push_back(to_utf8(match));
  }
  return step;
}

}  // namespace cellblock::cli

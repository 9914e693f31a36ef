#include "host/output_search.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <regex>

#include "base/utf8.hpp"

namespace cellblock::host {
namespace {

// libstdc++'s polynomial engine: a pattern from outside must not run away on a hostile line.
constexpr auto kSyntax =
    std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;

/// How often the pattern's counts, `{n}` and `{n,m}`, repeat a state at most.
std::size_t repetitions(std::string_view pattern) {
  constexpr std::size_t kMany = 1'000'000;
  std::size_t product = 1;
  for (std::size_t at = pattern.find('{'); at != std::string_view::npos;
       at = pattern.find('{', at + 1)) {
    std::size_t largest = 1;
    std::size_t number = 0;
    for (const char c : pattern.substr(at + 1, pattern.find('}', at) - at)) {
      number = c >= '0' && c <= '9'
                   ? std::min(number * 10 + static_cast<std::size_t>(c - '0'), kMany)
                   : 0;
      largest = std::max(largest, number);
    }
    product = std::min(product * largest, kMany);
  }
  return product;
}

/// `(?=…)` and `(?!…)`, for which the polynomial engine starts another at each state.
bool looks_ahead(std::string_view pattern) {
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.front() == '\\') {
      ++i;
    } else if (in_class) {
      in_class = rest.front() != ']';
    } else if (rest.front() == '[') {
      in_class = true;
    } else if (rest.starts_with("(?=") || rest.starts_with("(?!")) {
      return true;
    }
  }
  return false;
}

/// Judges one line, without its end, so that `$` is the end of the text.
class LineTest final {
 public:
  /// Throws std::regex_error.
  explicit LineTest(const std::string& pattern) : literal_(pattern) {
    if (pattern.find_first_of("^$\\.*+?()[]{}|") == std::string::npos) return;
    const std::regex judge_alone(pattern, kSyntax);
    // A search would begin anew at each character; one match of the whole line does not.
    expression_.emplace("[\\s\\S]*(?:" + pattern + ")[\\s\\S]*", kSyntax);
  }

  [[nodiscard]] bool matches(std::string_view line) const {
    if (!expression_) return line.find(literal_) != std::string_view::npos;
    // Longer lines are judged by their start, so that a search stays short.
    constexpr std::size_t kLongestLine = 4096;
    line = line.substr(0, kLongestLine);
    return std::regex_match(line.begin(), line.end(), *expression_);
  }

 private:
  std::string_view literal_;
  std::optional<std::regex> expression_;
};

FoundLines search(std::string_view text, Bytes limit, const LineTest& test) {
  constexpr std::chrono::seconds kLongestSearch{2};
  const auto give_up = std::chrono::steady_clock::now() + kLongestSearch;
  FoundLines found;
  Bytes taken = 0;  // as printed: to_valid_utf8 makes some bytes longer
  while (found.searched < text.size() && taken < limit) {
    std::string_view line = text.substr(found.searched);
    line = line.substr(0, std::min(line.find('\n'), line.size() - 1) + 1);
    if (test.matches(line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0)))) {
      if (taken > 0 && line.size() > limit - taken) break;
      const Bytes fits = std::min<Bytes>(line.size(), limit);
      found.text += base::to_valid_utf8(line.substr(0, base::floor_to_character(line, fits)));
      taken += fits;
    }
    found.searched += line.size();
    if (std::chrono::steady_clock::now() > give_up) break;
  }
  return found;
}

}  // namespace

Expected<FoundLines> find_lines(std::string_view text, Bytes limit, const std::string& pattern) {
  // libstdc++ compiles a pattern by recursion, a few frames for each character, and a search takes
  // as long as there are states.
  constexpr std::size_t kLongestPattern = 1024;
  constexpr std::size_t kMostStates = 20'000;
  if (pattern.size() > kLongestPattern || pattern.size() * repetitions(pattern) > kMostStates) {
    return Error{ErrorKind::bad_argument,
                 "The pattern is too long or repeats too much: shorten it."};
  }
  if (looks_ahead(pattern)) {
    return Error{ErrorKind::bad_argument,
                 "The pattern looks ahead, which is not searched for: leave out (?= and (?!."};
  }
  try {
    return search(text, limit, LineTest(pattern));
  } catch (const std::regex_error& problem) {
    return Error{ErrorKind::bad_argument,
                 std::string("The pattern is no usable regular expression: ") + problem.what()};
  }
}

}  // namespace cellblock::host

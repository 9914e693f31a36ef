#include "host/output_capture.hpp"

#include <algorithm>
#include <chrono>
#include <regex>

#include "base/utf8.hpp"

namespace cellblock::host {
namespace {

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

}  // namespace

OutputCapture::OutputCapture(Bytes cap, Bytes spool)
    : cap_(cap), spool_limit_(std::max(cap, spool)) {}

void OutputCapture::append(std::string_view bytes) {
  total_ += bytes.size();
  const auto room = std::min<Bytes>(bytes.size(), spool_limit_ - spool_.size());
  spool_.append(bytes.substr(0, room));
  bytes.remove_prefix(room);
  if (bytes.empty()) return;
  const Bytes wanted = cap_ / 2;
  if (bytes.size() > wanted) bytes.remove_prefix(bytes.size() - wanted);
  tail_.append(bytes);
  // Trimming only now and then keeps it linear.
  if (tail_.size() > 4 * wanted + 65'536) tail_.erase(0, tail_.size() - wanted);
}

std::string OutputCapture::last(Bytes size) const {
  if (tail_.size() >= size) return tail_.substr(tail_.size() - size);
  const Bytes rest = size - tail_.size();
  return spool_.substr(spool_.size() - rest) + tail_;
}

OutputCapture::Cut OutputCapture::cut() const {
  const Bytes half = cap_ / 2;
  const Bytes head = base::floor_to_character(spool_, half);
  const std::string end = last(half);
  return {.head = head, .tail = half - base::ceil_to_character(end, 0)};
}

std::string OutputCapture::text() const {
  if (total_ <= cap_) return base::to_valid_utf8(spool_);
  const Cut parts = cut();
  std::string text = base::to_valid_utf8(std::string_view(spool_).substr(0, parts.head));
  const std::string size =
      cap_ % 1024 == 0 ? std::to_string(cap_ / 1024) + " KB" : std::to_string(cap_) + " bytes";
  text += "\n[output was truncated at " + size + ": " +
          std::to_string(total_ - parts.head - parts.tail) +
          " bytes omitted — use .head() or aggregate first]\n";
  text += base::to_valid_utf8(last(parts.tail));
  return text;
}

std::optional<Truncation> OutputCapture::truncation() const {
  if (total_ <= cap_) return std::nullopt;
  const Cut parts = cut();
  return Truncation{.total_bytes = total_, .omitted_bytes = total_ - parts.head - parts.tail};
}

Expected<OutputPage> OutputCapture::page(Bytes offset, Bytes limit,
                                         const std::optional<std::string>& pattern) const {
  OutputPage page{.text = {}, .next_offset = total_, .total_bytes = total_};
  if (offset >= total_) return page;
  if (offset >= spool_.size()) {
    return Error{ErrorKind::too_large,
                 "Bytes from " + std::to_string(spool_.size()) +
                     " on were counted, not kept: raise the policy's spool_bytes or print less."};
  }
  const std::string_view rest = std::string_view(spool_).substr(offset);
  Bytes size = std::min<Bytes>(rest.size(), limit);
  if (size < rest.size()) {
    const Bytes whole = base::floor_to_character(rest, size);
    size = whole > 0 ? whole : base::ceil_to_character(rest, size);
  }
  std::string_view part = rest.substr(0, size);
  if (!pattern) {
    page.text = base::to_valid_utf8(part);
    page.next_offset = offset + size;
    return page;
  }
  // Whole lines only, so that a line is not judged by its half.
  if (size < rest.size()) {
    if (const auto line_end = part.rfind('\n'); line_end != std::string_view::npos) {
      size = line_end + 1;
      part = rest.substr(0, size);
    }
  }
  page.next_offset = offset + size;
  // libstdc++ compiles a pattern by recursion, a few frames for each character, and a search takes
  // as long as there are states.
  constexpr std::size_t kLongestPattern = 1024;
  constexpr std::size_t kMostStates = 20'000;
  if (pattern->size() > kLongestPattern || pattern->size() * repetitions(*pattern) > kMostStates) {
    return Error{ErrorKind::bad_argument,
                 "The pattern is too long or repeats too much: shorten it."};
  }
  try {
    // libstdc++'s polynomial engine: a pattern from outside must not run away on a hostile line.
    constexpr auto kSyntax =
        std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;
    const std::regex judge_alone(*pattern, kSyntax);
    // A search would begin anew at each character; one match of the whole line does not.
    const std::regex expression("[\\s\\S]*(?:" + *pattern + ")[\\s\\S]*", kSyntax);
    // Longer lines are judged by their start, so that a search stays short.
    constexpr std::size_t kLongestLine = 4096;
    constexpr std::chrono::seconds kLongestSearch{2};
    const auto give_up = std::chrono::steady_clock::now() + kLongestSearch;
    while (!part.empty()) {
      const auto line_end = std::min(part.find('\n'), part.size() - 1);
      const std::string_view line = part.substr(0, line_end + 1);
      // Without its end, so that `$` is the end of the text.
      const std::string_view judged =
          line.substr(0, std::min(kLongestLine, line.size() - (line.ends_with('\n') ? 1 : 0)));
      if (std::regex_match(judged.begin(), judged.end(), expression)) {
        page.text += base::to_valid_utf8(line);
      }
      part.remove_prefix(line.size());
      // A slow pattern gives a shorter page.
      if (std::chrono::steady_clock::now() > give_up) break;
    }
    page.next_offset -= part.size();
  } catch (const std::regex_error& problem) {
    return Error{ErrorKind::bad_argument,
                 std::string("The pattern is no usable regular expression: ") + problem.what()};
  }
  return page;
}

}  // namespace cellblock::host

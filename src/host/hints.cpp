#include "host/hints.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

namespace cellblock::host {

std::string format_seconds(std::chrono::milliseconds duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g s", static_cast<double>(duration.count()) / 1000.0);
  return text.data();
}

std::string format_bytes(Bytes bytes) {
  constexpr Bytes kMebibyte = 1ULL << 20;
  return std::to_string((bytes + kMebibyte / 2) / kMebibyte) + " MiB";
}

std::string timeout_hint(std::string_view code, std::chrono::milliseconds limit) {
  constexpr std::array<std::string_view, 5> kRowLoops{".iterrows(", ".itertuples(", ".iloc[",
                                                      ".apply(", ".at["};
  const bool loops_over_rows = std::any_of(
      kRowLoops.begin(), kRowLoops.end(),
      [&](std::string_view pattern) { return code.find(pattern) != std::string_view::npos; });
  if (loops_over_rows) {
    return "The code works on a DataFrame row by row: vectorise it, e.g. with column arithmetic or "
           "df.groupby(), or try it on df.head(1000) first.";
  }
  return "Do less in one cell: work on a sample first, vectorise loops, or split the work into "
         "several cells of under " +
         format_seconds(limit) + " each.";
}

std::string longer_hint(std::chrono::milliseconds asked, std::chrono::milliseconds allowed) {
  if (asked >= allowed) return "";
  return " This run asked for " + format_seconds(asked) + "; up to " + format_seconds(allowed) +
         " are allowed.";
}

std::string memory_hint(std::optional<Bytes> limit, Bytes peak) {
  std::string figures = "The peak was " + format_bytes(peak);
  if (limit)
    figures = "The limit is " + format_bytes(*limit) + ", the peak was " + format_bytes(peak);
  return figures +
         ": work on less data at once, e.g. in chunks or with smaller dtypes, and del what is no "
         "longer needed.";
}

std::string crash_hint(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGABRT:
      return "Native code crashed: the next run starts in a fresh process, so make the imports and "
             "variables again and avoid the call that crashed.";
    case SIGKILL:
      return "It was killed from outside, most often for memory: work on less data at once.";
    default:
      return "The next run starts in a fresh process: make the imports and variables again.";
  }
}

}  // namespace cellblock::host

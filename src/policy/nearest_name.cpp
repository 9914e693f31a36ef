#include "policy/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace cellblock::policy {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Levenshtein's: letters to add, to take out or to change.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t changed = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& known) {
  constexpr std::size_t kShortestPart = 3;
  constexpr std::size_t kLongestName = 64;
  if (name.size() < kShortestPart || name.size() > kLongestName) return std::nullopt;
  const std::string wanted = lower(name);
  std::optional<std::string_view> nearest;
  std::size_t least = 0;
  for (const std::string_view candidate : known) {
    const std::size_t apart = distance(wanted, candidate);
    const bool is_part = candidate.find(wanted) != std::string_view::npos;
    if (!is_part && apart > std::max<std::size_t>(1, wanted.size() / 3)) continue;
    if (!nearest || apart < least) {
      nearest = candidate;
      least = apart;
    }
  }
  return nearest;
}

}  // namespace cellblock::policy

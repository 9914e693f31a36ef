// Named series of measured times, and what is told of them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace cellblock::bench {

struct Series {
  std::string name;
  std::vector<double> microseconds;

  /// By the nearest-rank method; `share` in 0..1. Precondition: not empty.
  [[nodiscard]] double quantile(double share) const;
};

/// {"machine": {…}, "results": [{"name", "unit", "n", "min", "p50", "p90", "p99"}]}
std::string to_json(const std::vector<Series>& all, const std::map<std::string, std::string>& more);
/// A table for people, with the design's ratios below it.
std::string to_table(const std::vector<Series>& all);

}  // namespace cellblock::bench

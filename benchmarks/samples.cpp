#include "samples.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>

namespace cellblock::bench {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string kernel() {
  utsname name{};
  ::uname(&name);
  return std::string(name.sysname) + " " + name.release;
}

std::optional<double> median(const std::vector<Series>& all, std::string_view name) {
  for (const Series& series : all) {
    if (series.name == name && !series.microseconds.empty()) return series.quantile(0.5);
  }
  return std::nullopt;
}

struct Ratio {
  std::string_view what;
  std::string_view above;
  std::string_view below;
  double budget;  // 0: none
};

constexpr std::array kRatios{
    Ratio{"cold session / bare fork", "cold_session_first_reply", "bare_fork_first_reply", 1.25},
    Ratio{"steady round trip / raw 1 KiB echo", "steady_round_trip", "raw_echo_1k", 5},
    Ratio{"first group-by, cold / steady", "group_by_cold", "group_by_steady", 8},
    Ratio{"python3 -c pass / cold session", "python_c_pass", "cold_session_first_reply", 0},
    Ratio{"allowed operations, guard on / off", "operations_guarded", "operations_unguarded", 1.02},
};
// What the import guard adds to the import of a module that is loaded.
constexpr std::string_view kGuardedImport = "import_guarded";
constexpr std::string_view kUnguardedImport = "import_unguarded";
constexpr double kImportBudgetUs = 0.5;

}  // namespace

double Series::quantile(double share) const {
  std::vector<double> sorted = microseconds;
  std::sort(sorted.begin(), sorted.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

std::string to_json(const std::vector<Series>& all,
                    const std::map<std::string, std::string>& more) {
  nlohmann::ordered_json machine{
      {"cpu", cpu_model()}, {"cores", std::thread::hardware_concurrency()}, {"kernel", kernel()}};
  for (const auto& [name, value] : more) machine[name] = value;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Series& series : all) {
    if (series.microseconds.empty()) continue;
    results.push_back({{"name", series.name},
                       {"unit", "us"},
                       {"n", series.microseconds.size()},
                       {"min", series.quantile(0)},
                       {"p50", series.quantile(0.5)},
                       {"p90", series.quantile(0.9)},
                       {"p99", series.quantile(0.99)}});
  }
  return nlohmann::ordered_json{{"machine", machine}, {"results", results}}.dump(1) + "\n";
}

std::string to_table(const std::vector<Series>& all) {
  std::string table;
  std::array<char, 160> line{};
  std::snprintf(line.data(), line.size(), "%-28s %6s %10s %10s %10s %10s\n", "microseconds", "n",
                "min", "p50", "p90", "p99");
  table += line.data();
  for (const Series& series : all) {
    if (series.microseconds.empty()) continue;
    std::snprintf(line.data(), line.size(), "%-28s %6zu %10.1f %10.1f %10.1f %10.1f\n",
                  series.name.c_str(), series.microseconds.size(), series.quantile(0),
                  series.quantile(0.5), series.quantile(0.9), series.quantile(0.99));
    table += line.data();
  }
  table += "\nratios of medians\n";
  for (const Ratio& ratio : kRatios) {
    const auto above = median(all, ratio.above);
    const auto below = median(all, ratio.below);
    if (!above || !below) continue;
    std::snprintf(line.data(), line.size(), "%-36s %8.2f", std::string(ratio.what).c_str(),
                  *above / *below);
    table += line.data();
    if (ratio.budget > 0) {
      std::snprintf(line.data(), line.size(), "   (budget %g)", ratio.budget);
      table += line.data();
    }
    table += '\n';
  }
  const auto guarded = median(all, kGuardedImport);
  const auto unguarded = median(all, kUnguardedImport);
  if (guarded && unguarded) {
    std::snprintf(line.data(), line.size(), "%-36s %8.2f   (budget %g)\n",
                  "the guard's part of an import, us", *guarded - *unguarded, kImportBudgetUs);
    table += line.data();
  }
  return table;
}

}  // namespace cellblock::bench

#include "tool/limits_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "tool/facts.hpp"

namespace cellblock::tool {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

void add(std::string& list, const std::string& item) {
  list.append(list.empty() ? "" : ", ").append(item);
}

}  // namespace

std::string duration_text(std::chrono::milliseconds duration) {
  const auto count = duration.count();
  if (count >= 7'200'000 && count % 3'600'000 == 0) return std::to_string(count / 3'600'000) + " h";
  if (count >= 120'000 && count % 60'000 == 0) return std::to_string(count / 60'000) + " min";
  return number(static_cast<double>(count) / 1000.0) + " s";
}

std::string size_text(Bytes bytes) {
  constexpr Bytes kKilo = 1024;
  if (bytes >= kKilo * kKilo * kKilo) {
    return number(static_cast<double>(bytes >> 20) / 1024.0) + " GB";
  }
  if (bytes >= kKilo * kKilo) return number(static_cast<double>(bytes >> 10) / 1024.0) + " MB";
  if (bytes >= kKilo) return number(static_cast<double>(bytes) / 1024.0) + " KB";
  return std::to_string(bytes) + " bytes";
}

std::string limits_text(const SecurityPolicy& policy) {
  std::string text = duration_text(policy.timeout) + " for each call";
  if (policy.cpu_seconds) add(text, number(*policy.cpu_seconds) + " s of processor time");
  if (policy.max_memory_bytes) add(text, size_text(*policy.max_memory_bytes) + " of memory");
  if (policy.max_cpus) {
    add(text, number(*policy.max_cpus) + (*policy.max_cpus == 1.0 ? " core" : " cores"));
  }
  if (policy.max_threads) add(text, std::to_string(*policy.max_threads) + " threads");
  if (policy.workspace_bytes && !policy.workspace_dir) {
    add(text, size_text(*policy.workspace_bytes) + " of files");
  }
  if (policy.max_file_bytes) add(text, size_text(*policy.max_file_bytes) + " for one file");
  add(text, "no network");
  if (policy.max_processes && *policy.max_processes == 0) add(text, "no subprocesses");
  return text;
}

std::size_t model_text_budget(const SecurityPolicy& policy) {
  return std::clamp<std::size_t>(policy.max_stdout_bytes, 2'048, 262'144);
}

}  // namespace cellblock::tool

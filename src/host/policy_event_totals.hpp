// Policy events of all sessions of an executor, added up.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace cellblock::host {

/// Thread-safe. Names come from sessions: past the bound they are added to "others".
class PolicyEventTotals final {
 public:
  void add(const std::map<std::string, std::uint64_t>& events);
  [[nodiscard]] std::map<std::string, std::uint64_t> all() const;

 private:
  static constexpr std::size_t kMostNames = 512;

  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> totals_;
};

}  // namespace cellblock::host

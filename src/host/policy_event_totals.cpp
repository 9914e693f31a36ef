#include "host/policy_event_totals.hpp"

#include <limits>

namespace cellblock::host {

void PolicyEventTotals::add(const std::map<std::string, std::uint64_t>& events) {
  if (events.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, count] : events) {
    const bool known = totals_.count(name) > 0 || totals_.size() < kMostNames;
    std::uint64_t& total = totals_[known ? name : "others"];
    // A session may claim any number.
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - total;
    total += count < room ? count : room;
  }
}

std::map<std::string, std::uint64_t> PolicyEventTotals::all() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

}  // namespace cellblock::host

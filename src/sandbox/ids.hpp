// Who a session is to the kernel.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>

#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// User numbers for sessions, one for each: limits on processes count by it. Not thread-safe.
class SessionIds final {
 public:
  /// The numbers that this process may become and that nobody else uses: [first, first + count).
  struct Range {
    uid_t first = 0;
    std::uint32_t count = 0;
  };

  explicit SessionIds(Range range);

  /// A number that no living session has; nothing when all are in use.
  std::optional<uid_t> take();
  void give_back(uid_t id) { used_.erase(id); }

 private:
  Range range_;
  std::uint32_t next_ = 0;
  std::set<uid_t> used_;
};

/// Where this process may become other users: the range, chosen from those that its user namespace
/// has. Nothing: it may not, or there are too few. Needs /proc.
std::optional<SessionIds::Range> find_session_ids();

/// No other group, and this user and group alone. Clears the parent-death signal.
/// Async-signal-safe.
Failure become_user(uid_t id);

/// Whether every one of this process's user and group numbers is this one.
bool is_only_user(uid_t id);

}  // namespace cellblock::sandbox

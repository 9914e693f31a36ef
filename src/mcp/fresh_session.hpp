// A session that was opened for one call, until the call's answer tells its id.
#pragma once

#include <memory>

#include "mcp/tools.hpp"

namespace cellblock::mcp {

/// Closes the session where nobody learns the id that alone leads back to it: the tool failed
/// without telling it, or the call was cancelled. Leaves others alone.
class FreshSession final {
 public:
  FreshSession(SessionBook& sessions, std::shared_ptr<LiveCall> call,
               const SessionBook::Opened& opened);
  ~FreshSession();
  FreshSession(const FreshSession&) = delete;
  FreshSession& operator=(const FreshSession&) = delete;

  /// The call finishes with this.
  void settle(const ToolResult& result);

 private:
  SessionBook& sessions_;
  const std::shared_ptr<LiveCall> call_;
  SessionHandle untold_;  // null: somebody knows it
};

}  // namespace cellblock::mcp

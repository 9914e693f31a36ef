// The sessions that this peer has open.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cellblock/session.hpp"
#include "rpc/rpc_error.hpp"

namespace cellblock::rpc {

/// A session and the executions that were started on it. Thread-safe.
class OpenSession final {
 public:
  explicit OpenSession(Session session) : session_(std::move(session)) {}

  [[nodiscard]] Session& session() { return session_; }

  /// Starts an execution and remembers it until it is done.
  RunningExecution start(std::string_view code, const RunOptions& options, RunCallbacks callbacks);
  /// To be called when start's execution has been waited for.
  void forget(const std::string& execution_id);

  /// Ends the oldest execution that is not done, or the one that is named, even if its code has
  /// not begun to run. False: there is none.
  bool interrupt(const std::optional<std::string>& execution_id);

 private:
  Session session_;
  std::mutex mutex_;
  std::list<RunningExecution> executions_;  // in the order in which they run
};

/// Thread-safe.
class Sessions final {
 public:
  /// Null when close_all has begun: the session is closed.
  std::shared_ptr<OpenSession> add(Session session);
  /// Error kinds: unknown_session; expired, until session.close forgets it.
  Expected<std::shared_ptr<OpenSession>, RpcError> find(const std::string& id) const;
  /// The same, and it is not open any more.
  Expected<std::shared_ptr<OpenSession>, RpcError> take(const std::string& id);
  /// Closes all of them side by side and lets none be added. Blocks.
  void close_all();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<OpenSession>> sessions_;
  bool closing_ = false;
};

}  // namespace cellblock::rpc

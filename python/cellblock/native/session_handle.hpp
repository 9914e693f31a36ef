// A session as Python holds it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "calls.hpp"
#include "cellblock/session.hpp"
#include "errors.hpp"
#include "own_process.hpp"

namespace cellblock::sdk {

/// Thread-safe. Once it is closed nothing of the library's is held any more, so that an executor
/// ends with its last session's close, not with the garbage collection.
class SessionHandle final {
 public:
  explicit SessionHandle(Session session);
  ~SessionHandle();
  SessionHandle(const SessionHandle&) = delete;
  SessionHandle& operator=(const SessionHandle&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const IsolationReport& isolation() const { return isolation_; }
  [[nodiscard]] std::chrono::microseconds start_time() const { return start_time_; }
  /// Nothing: it is open.
  [[nodiscard]] std::optional<Error> ended() const;

  /// With the GIL: the session, or the exception that says why there is none.
  [[nodiscard]] std::shared_ptr<Session> session() const;
  /// Calls `act(session)` without the GIL; it must own the rest of what it uses.
  template <class Act>
  auto ask(Act act) const {
    return value_or_raise(interruptible(
        [session = session(), act = std::move(act)]() mutable { return act(*session); }));
  }
  /// Without the GIL. Does not wait for the end of the session's processes. Nothing in a forked
  /// child.
  void close();

 private:
  const std::uint64_t process_ = process_number();
  const std::string id_;
  const IsolationReport isolation_;
  const std::chrono::microseconds start_time_;
  mutable std::mutex mutex_;
  std::shared_ptr<Session> session_;
  std::optional<Error> ended_;
};

}  // namespace cellblock::sdk

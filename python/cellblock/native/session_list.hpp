// The sessions of one executor, contexts among them, so that they can be closed with it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace cellblock::sdk {

class SessionHandle;

/// Thread-safe, to be used without the GIL. Does not keep the sessions.
class SessionList final {
 public:
  /// Closes it at once where the list was closed.
  void add(const std::shared_ptr<SessionHandle>& session);
  void close();

 private:
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<std::weak_ptr<SessionHandle>> sessions_;
};

}  // namespace cellblock::sdk

#include "session_list.hpp"

#include <utility>

#include "session_handle.hpp"

namespace cellblock::sdk {

void SessionList::add(const std::shared_ptr<SessionHandle>& session) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      std::erase_if(sessions_, [](const auto& entry) { return entry.expired(); });
      sessions_.push_back(session);
      return;
    }
  }
  session->close();
}

void SessionList::close() {
  std::vector<std::weak_ptr<SessionHandle>> sessions;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    sessions = std::exchange(sessions_, {});
  }
  for (const auto& entry : sessions) {
    if (const auto session = entry.lock()) session->close();
  }
}

}  // namespace cellblock::sdk

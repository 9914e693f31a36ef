#include "session_handle.hpp"

#include <utility>

namespace cellblock::sdk {

SessionHandle::SessionHandle(Session session)
    : id_(session.id()),
      isolation_(session.isolation()),
      start_time_(session.start_time()),
      session_(own(std::move(session))) {}

SessionHandle::~SessionHandle() {
  // It may be the executor's last owner, which waits for the end of its processes.
  const pybind11::gil_scoped_release released;
  close();
}

std::optional<Error> SessionHandle::ended() const {
  if (process_ != process_number()) return inherited_by_fork();
  const std::lock_guard lock(mutex_);
  return session_ ? session_->ended() : ended_;
}

std::shared_ptr<Session> SessionHandle::session() const {
  require_own_process(process_);
  const std::lock_guard lock(mutex_);
  if (!session_) raise(ended_->kind, ended_->message);
  return session_;
}

void SessionHandle::close() {
  if (process_ != process_number()) return;
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    if (!session_) return;
    session_->close();
    ended_ = session_->ended();
    session = std::move(session_);
  }
}

}  // namespace cellblock::sdk

#include "session_handle.hpp"

#include <optional>
#include <utility>

namespace cellblock::sdk {

std::shared_ptr<SessionHandle> SessionHandle::create(Session session,
                                                     std::shared_ptr<SessionList> siblings) {
  auto handle =
      std::shared_ptr<SessionHandle>(new SessionHandle(std::move(session), std::move(siblings)));
  without_gil([&] { handle->siblings_->add(handle); });
  return handle;
}

SessionHandle::SessionHandle(Session session, std::shared_ptr<SessionList> siblings)
    : id_(session.id()),
      isolation_(session.isolation()),
      start_time_(session.start_time()),
      siblings_(std::move(siblings)),
      session_(own(std::move(session))) {}

SessionHandle::~SessionHandle() {
  // It may be the executor's last owner, which waits for the end of its processes. Who closes all
  // sessions of an executor, and is the last to hold one, has no GIL to release.
  std::optional<pybind11::gil_scoped_release> released;
  if (PyGILState_Check() != 0) released.emplace();
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

std::shared_ptr<SessionHandle> SessionHandle::open_context() const {
  return create(ask([](Session& shared) { return shared.open_context(); }), siblings_);
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

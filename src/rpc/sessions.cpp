#include "rpc/sessions.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace cellblock::rpc {
namespace {

RpcError unknown_session(const std::string& id) {
  return RpcError{
      kServerError, ErrorKind::unknown_session,
      "No session \"" + id.substr(0, 60) + "\" is open; session.open opens one and gives its id."};
}

}  // namespace

RunningExecution OpenSession::start(std::string_view code, const RunOptions& options,
                                    RunCallbacks callbacks) {
  // Under the lock, so that the list has the order in which the library runs them.
  const std::lock_guard lock(mutex_);
  executions_.push_back(session_.start(code, options, std::move(callbacks)));
  return executions_.back();
}

void OpenSession::forget(const std::string& execution_id) {
  const std::lock_guard lock(mutex_);
  executions_.remove_if(
      [&execution_id](const auto& execution) { return execution.execution_id() == execution_id; });
}

bool OpenSession::interrupt(const std::optional<std::string>& execution_id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(
      executions_.begin(), executions_.end(), [&execution_id](const RunningExecution& execution) {
        return !execution.done() && (!execution_id || *execution_id == execution.execution_id());
      });
  if (found == executions_.end()) return false;
  found->interrupt();
  return true;
}

std::shared_ptr<OpenSession> Sessions::add(Session session) {
  auto opened = std::make_shared<OpenSession>(std::move(session));
  {
    const std::lock_guard lock(mutex_);
    if (!closing_) {
      sessions_.emplace(opened->session().id(), opened);
      return opened;
    }
  }
  opened->session().close();
  return nullptr;
}

Expected<std::shared_ptr<OpenSession>, RpcError> Sessions::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return unknown_session(id);
  if (auto over = found->second->session().ended()) return server_error(*std::move(over));
  return found->second;
}

Expected<std::shared_ptr<OpenSession>, RpcError> Sessions::take(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return unknown_session(id);
  auto taken = std::move(found->second);
  sessions_.erase(found);
  return taken;
}

void Sessions::close_all() {
  std::map<std::string, std::shared_ptr<OpenSession>> closing;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    closing.swap(sessions_);
  }
  std::vector<std::thread> threads;
  threads.reserve(closing.size());
  for (auto& [id, session] : closing) {
    threads.emplace_back([&session = *session] { session.session().close(); });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace cellblock::rpc

#include "mcp/connection.hpp"

#include <utility>

namespace cellblock::mcp {

std::string Connection::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void Connection::agree(std::string version) {
  const std::lock_guard lock(mutex_);
  version_ = std::move(version);
}

bool Connection::add(const rpc::Json& id, const std::shared_ptr<LiveCall>& call) {
  const std::lock_guard lock(mutex_);
  return calls_.emplace(id, call).second;
}

void Connection::remove(const rpc::Json& id) {
  const std::lock_guard lock(mutex_);
  calls_.erase(id);
}

void Connection::cancel(const rpc::Json& id) {
  std::shared_ptr<LiveCall> call;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = calls_.find(id); found != calls_.end()) call = found->second.lock();
  }
  if (call) call->cancel();
}

}  // namespace cellblock::mcp

#include "http/mcp_sessions.hpp"

#include <utility>

#include "base/random_id.hpp"

namespace cellblock::http {

std::string McpSessions::add(std::shared_ptr<mcp::Connection> connection) {
  const std::lock_guard lock(mutex_);
  used_.push_front({base::random_id("mcp-"), std::move(connection)});
  by_id_.emplace(used_.front().id, used_.begin());
  if (used_.size() > limit_) {
    by_id_.erase(used_.back().id);
    used_.pop_back();
  }
  return used_.front().id;
}

std::shared_ptr<mcp::Connection> McpSessions::use(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  used_.splice(used_.begin(), used_, found->second);
  return found->second->connection;
}

bool McpSessions::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  used_.erase(found->second);
  by_id_.erase(found);
  return true;
}

}  // namespace cellblock::http

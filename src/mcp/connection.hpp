// What is known of one peer between its messages.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/live_call.hpp"
#include "rpc/json_text.hpp"

namespace cellblock::mcp {

/// Thread-safe.
class Connection final {
 public:
  /// The version that `initialize` agreed on; empty before.
  [[nodiscard]] std::string version() const;
  void agree(std::string version);

  /// False: a request of that id is under way.
  bool add(const rpc::Json& id, const std::shared_ptr<LiveCall>& call);
  void remove(const rpc::Json& id);
  /// Cancels the request of that id, if it is under way.
  void cancel(const rpc::Json& id);

 private:
  mutable std::mutex mutex_;
  std::string version_;
  std::map<rpc::Json, std::weak_ptr<LiveCall>> calls_;
};

}  // namespace cellblock::mcp

// The handshakes that clients have made over HTTP, by their Mcp-Session-Id.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "mcp/server.hpp"

namespace cellblock::http {

/// An id stands for what a client and the server have agreed on, and for the requests that
/// notifications/cancelled may name; never for a Python session. Thread-safe.
class McpSessions final {
 public:
  /// Clients seldom say that they are done: at the limit the one goes that was not used for
  /// longest.
  explicit McpSessions(std::size_t limit = 1024) : limit_(limit) {}

  /// Gives the new id: 128 random bits.
  std::string add(std::shared_ptr<mcp::Connection> connection);
  /// Null: there is none of that id.
  std::shared_ptr<mcp::Connection> use(const std::string& id);
  /// False: there is none of that id.
  bool remove(const std::string& id);

 private:
  struct Entry {
    std::string id;
    std::shared_ptr<mcp::Connection> connection;
  };

  const std::size_t limit_;
  std::mutex mutex_;
  std::list<Entry> used_;  // the latest first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_id_;
};

}  // namespace cellblock::http

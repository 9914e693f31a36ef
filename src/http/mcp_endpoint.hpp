// MCP's Streamable HTTP transport, both eras: POST /mcp with one message, answered by one JSON text
// or by a stream of events that ends with the answer.
#pragma once

#include <memory>
#include <string_view>

#include "http/exchange.hpp"
#include "http/mcp_sessions.hpp"
#include "http/server.hpp"
#include "mcp/server.hpp"

namespace cellblock::http {

/// Thread-safe. A client that goes before it has its answer cancels what it has asked for, in both
/// eras: nobody else could get the answer. There is no stream for messages that answer nothing (GET
/// is 405), and none can be resumed.
class McpEndpoint final {
 public:
  static constexpr std::string_view kPath = "/mcp";

  /// `core` outlives it.
  explicit McpEndpoint(mcp::Server& core) : core_(core) {}

  /// The route; the endpoint outlives the server.
  Route route();

 private:
  void post(const std::shared_ptr<Exchange>& exchange);
  void end_session(Exchange& exchange);

  mcp::Server& core_;
  McpSessions sessions_;
};

}  // namespace cellblock::http

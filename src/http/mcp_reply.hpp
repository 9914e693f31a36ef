// How an MCP answer becomes an HTTP one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "http/exchange.hpp"
#include "mcp/server.hpp"

namespace cellblock::http {

/// The answer is one JSON text until the first notification, or stream(), makes it a stream.
class McpReply final : public mcp::Reply {
 public:
  struct Traits {
    mcp::Era era = mcp::Era::stateless;
    /// Whether the client takes a stream; else notifications are dropped.
    bool streams = false;
    /// Gives further headers of a result that comes as one JSON text.
    std::function<Headers()> headers_of_result;
  };

  McpReply(std::shared_ptr<Exchange> exchange, Traits traits)
      : exchange_(std::move(exchange)), traits_(std::move(traits)) {}

  /// Makes the answer a stream at once, unless it is there already or the client takes none.
  void stream();

  void notify(const std::string& text) override;
  void finish(const mcp::Answer& answer) override;

 private:
  [[nodiscard]] Response as_response(const mcp::Answer& answer) const;

  const std::shared_ptr<Exchange> exchange_;
  const Traits traits_;
  std::mutex mutex_;
  bool streaming_ = false;
  bool finished_ = false;
};

}  // namespace cellblock::http

// What requests are answered with.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "mcp/live_call.hpp"
#include "mcp/message_body.hpp"
#include "mcp/refusal.hpp"
#include "mcp/session_book.hpp"
#include "mcp/versions.hpp"

namespace cellblock::mcp {

class Engine final {
 public:
  Engine(std::unique_ptr<Executor> executor, ServerOptions options);

  [[nodiscard]] Executor& executor() { return *executor_; }
  [[nodiscard]] SessionBook& sessions() { return sessions_; }
  [[nodiscard]] const ServerOptions& options() const { return options_; }
  [[nodiscard]] const SecurityPolicy& policy() const { return options_.policy; }

  /// What the tools' definitions are made from. Blocks until the executor is ready; found out once.
  /// Error kinds: as Executor::info.
  Expected<tool::Facts> facts();

 private:
  const ServerOptions options_;
  std::unique_ptr<Executor> executor_;
  SessionBook sessions_;
  std::mutex mutex_;
  std::optional<tool::Facts> facts_;
};

/// One request, and whom it came from. Lives as long as somebody works on it.
struct Request {
  Message message;
  Dialect dialect;
  std::shared_ptr<LiveCall> call;
  std::shared_ptr<Connection> connection;  ///< null: a stateless request has none

  [[nodiscard]] const rpc::Json& params() const { return message.body().params; }
  [[nodiscard]] const rpc::Json& id() const { return message.body().id; }
};

using RequestHandle = std::shared_ptr<const Request>;

}  // namespace cellblock::mcp

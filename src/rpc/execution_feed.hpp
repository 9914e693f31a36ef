// The notifications of one execution.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cellblock/session.hpp"
#include "rpc/outbox.hpp"

namespace cellblock::rpc {

/// Sends them to the outbox in order; waits when the peer has not taken what was sent before.
/// Thread-safe.
class ExecutionFeed final {
 public:
  ExecutionFeed(Outbox& outbox, std::string session_id)
      : outbox_(outbox), session_id_(std::move(session_id)) {}

  /// Callbacks that keep `feed` alive.
  static RunCallbacks callbacks(const std::shared_ptr<ExecutionFeed>& feed);

  /// An execution may speak before the caller knows its id: until then nothing is sent.
  void identify(const std::string& execution_id);

 private:
  /// `params` is the text of further members of the notification's parameters.
  void notify(std::string_view method, std::string params);
  void send(std::string_view method, std::string_view params);

  Outbox& outbox_;
  const std::string session_id_;
  const std::shared_ptr<Allowance> allowance_ = std::make_shared<Allowance>();
  std::mutex mutex_;
  std::string execution_id_;
  std::vector<std::pair<std::string_view, std::string>> early_;
};

}  // namespace cellblock::rpc

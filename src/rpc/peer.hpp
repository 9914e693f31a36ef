// One peer of a server: its sessions, what is under way for it, and what it has yet to read.
#pragma once

#include <chrono>
#include <future>

#include "rpc/dispatcher.hpp"
#include "rpc/service.hpp"

namespace cellblock::rpc {

/// For one thread.
class Peer final {
 public:
  /// Answers go to `output`. `wake_fd`, an eventfd, ends the peer when it becomes readable; a peer
  /// that takes no more bytes makes it readable.
  Peer(Service& service, base::UniqueFd output, int wake_fd);
  /// Ends the sessions and what runs in them, and waits for it; what was not written is dropped.
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Takes requests, a line each, until the peer has closed `input` or `wake_fd` is readable.
  void serve(int input);

  /// Cancels executions, closes sessions and writes what is ready. False: not within the limit.
  bool end(std::chrono::milliseconds limit);

 private:
  void close_sessions();

  const int wake_fd_;
  Sessions sessions_;
  Outbox outbox_;
  AnswerRoom answers_;
  Engine engine_;
  Workers workers_{kMaxRequests};
  std::future<void> closing_;
};

}  // namespace cellblock::rpc

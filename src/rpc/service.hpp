// What all peers of one server share: the executors, the policy, and whether it can work at all.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <optional>

#include "rpc/executors.hpp"

namespace cellblock::rpc {

struct ServerOptions {
  ExecutorOptions executor;
  /// Of sessions that are opened without one.
  SecurityPolicy policy;
  /// Looks at the default executor, on another thread, while requests are already taken; an error
  /// ends the server. May block.
  std::function<Expected<void>(Executor&)> check;
};

/// Thread-safe. Outlives its peers.
class Service final {
 public:
  /// A check that fails makes `wake_fd`, an eventfd, readable.
  Service(ServerOptions options, int wake_fd);
  /// Waits for the check.
  ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Makes the default executor and begins the check. To be called once, before there are peers.
  Expected<void> start();
  /// Waits for the check. False: not within the limit.
  [[nodiscard]] bool wait_until_checked(std::chrono::milliseconds limit) const;
  /// The check's error, so far.
  [[nodiscard]] Expected<void> outcome() const;

  [[nodiscard]] Executors& executors() { return executors_; }
  [[nodiscard]] const SecurityPolicy& policy() const { return options_.policy; }

 private:
  void check(Executor& executor);

  const ServerOptions options_;
  const int wake_fd_;
  Executors executors_;
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
  std::future<void> check_;
};

}  // namespace cellblock::rpc

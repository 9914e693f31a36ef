// Threads for what blocks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cellblock::rpc {

/// A thread for each task that runs, kept for the next one; at most `limit`. Thread-safe.
class Workers final {
 public:
  explicit Workers(std::size_t limit) : limit_(limit) {}
  /// Waits for the tasks.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Tasks that could begin at once.
  [[nodiscard]] std::size_t room() const;
  /// False: no thread is free and none more may be made or can be made.
  bool run(std::function<void()> task);
  /// Waits until no task runs. False: not within the limit.
  bool wait_until_idle(std::chrono::milliseconds limit);

 private:
  void work();

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> tasks_;  // never more than threads that wait for one
  std::size_t busy_ = 0;                     // tasks that run or wait in tasks_
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cellblock::rpc

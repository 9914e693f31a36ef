// What goes to the peer: whole lines, in the order in which they were given, written by a thread
// of its own, so that a peer that reads slowly delays nobody but the one who sends too much.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/unique_fd.hpp"

namespace cellblock::rpc {

/// One sender's share of the outbox: nothing is dropped, but who has more than this under way
/// waits.
struct Allowance {
  std::size_t limit = 1U << 20;
  std::size_t under_way = 0;  ///< guarded by the outbox
};

/// Thread-safe.
class Outbox final {
 public:
  /// `on_broken` is called once, on the writing thread, when the peer does not take bytes any more.
  Outbox(base::UniqueFd fd, std::function<void()> on_broken);
  /// Drops what has not been written.
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Queues a line (given without its newline). Never blocks. `held` is let go when the line has
  /// been written or dropped.
  void send(std::string line, std::shared_ptr<const void> held = nullptr);
  /// Queues a line; blocks while the sender's allowance is used up.
  void send(std::string line, const std::shared_ptr<Allowance>& allowance);

  /// Waits until at most `bytes` are queued. False: not within the limit.
  bool wait_until_below(std::size_t bytes, std::chrono::milliseconds limit);
  /// Waits until everything is written. False: not within the limit, or the peer is gone.
  bool flush(std::chrono::milliseconds limit);
  /// Writes no more; whoever waits here goes on, and what is sent from now on is dropped.
  void stop();

 private:
  struct Line {
    std::string text;
    std::shared_ptr<Allowance> allowance;
    std::shared_ptr<const void> held;
  };

  void write_lines();
  bool write_all(std::string_view bytes);
  void enqueue(std::unique_lock<std::mutex>& lock, Line line);
  void give_up(std::unique_lock<std::mutex>& lock);

  base::UniqueFd fd_;
  base::UniqueFd stop_fd_;
  std::function<void()> on_broken_;
  std::mutex mutex_;
  std::condition_variable queued_;
  std::condition_variable written_;
  std::deque<Line> lines_;
  std::size_t bytes_ = 0;  // queued, with the line that is being written
  bool stopped_ = false;
  bool broken_ = false;
  std::thread writer_;
};

}  // namespace cellblock::rpc

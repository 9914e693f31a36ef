// The bytes of one answer on their way from a handler's threads to the connection's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/exchange.hpp"
#include "http/limits.hpp"

namespace cellblock::http {

/// Thread-safe. The first part of its methods is Exchange's; the others are for the connection.
class Answer final : public Exchange {
 public:
  /// `wake` tells the connection that there is something to take; it must not block.
  Answer(Request request, const Limits& limits, After after, std::function<void()> wake);

  [[nodiscard]] const Request& request() const override { return request_; }
  [[nodiscard]] std::string take_body() override;
  void respond(const Response& response) override;
  void open_stream(const Headers& headers) override;
  bool send_event(std::string_view data) override;
  void end_stream() override;
  void hold(std::shared_ptr<const void> held) override;
  void on_gone(std::function<void()> call) override;

  /// A handle for the handler.
  static std::shared_ptr<Exchange> handle(const std::shared_ptr<Answer>& answer);

  struct Piece {
    std::string bytes;
    bool last = false;  ///< nothing comes after it
    After after = After::keep;
  };
  /// What waits to be written; at most `limit` bytes of it.
  Piece take(std::size_t limit);
  /// What take() gave has been written, and senders may go on.
  void written(std::size_t bytes);
  /// Adds a comment to an open stream that has nothing else to write.
  void keep_alive();
  /// The client has gone: whoever waits here is let go. `wake` is not called any more.
  void gone();
  /// The client has got everything. `wake` is not called any more.
  void over();

 private:
  enum class State { waiting, streaming, complete, over, gone };

  /// Under the lock.
  void add(std::string_view bytes);
  [[nodiscard]] std::size_t waiting_bytes() const { return queued_.size() - taken_ + under_way_; }
  void abandon();

  Request request_;  // its body is guarded by the mutex, the rest does not change
  const std::size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable room_;
  State state_ = State::waiting;
  After after_;
  std::string queued_;
  std::size_t taken_ = 0;  // of it
  std::size_t under_way_ = 0;
  std::function<void()> wake_;
  std::function<void()> on_gone_;
  std::shared_ptr<const void> held_;
};

}  // namespace cellblock::http

// One request to a session process: queued, sent, answered once.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cellblock/expected.hpp"
#include "host/kill_target.hpp"
#include "protocol/frame.hpp"

namespace cellblock::host {

/// How a session's process ended.
struct ProcessEnd {
  /// cage_gone: not started either, but another cage can be made.
  enum class Kind { exited, zygote_lost, not_started, cage_gone };
  Kind kind = Kind::exited;
  int wait_status = 0;          ///< exited: as waitpid gives it
  bool violated = false;        ///< exited: killed because it broke the protocol
  bool out_of_memory = false;   ///< exited: by the kernel's kill at the session's memory limit
  Bytes peak_memory_bytes = 0;  ///< exited
  std::string stack;            ///< exited: what it wrote of its Python stacks, hostile
  std::string message;          ///< not_started, zygote_lost: why
};

class Request {
 public:
  Request(protocol::FrameType type, std::string body, std::chrono::milliseconds timeout,
          std::chrono::milliseconds grace)
      : type_(type), body_(std::move(body)), timeout_(timeout), grace_(grace) {}
  virtual ~Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] protocol::FrameType type() const { return type_; }
  [[nodiscard]] protocol::FrameType reply_type() const {
    return static_cast<protocol::FrameType>(static_cast<int>(type_) + 1);
  }
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] std::chrono::milliseconds timeout() const { return timeout_; }
  [[nodiscard]] std::chrono::milliseconds grace() const { return grace_; }

  // Exactly one of these ends it; called on the supervisor's thread or by who takes it out of the
  // queue. Neither may block.
  virtual void on_reply(protocol::Frame frame, Stop stop) = 0;
  virtual void on_process_end(const ProcessEnd& end, Stop stop) = 0;
  /// Taken out of the queue before it started: by the caller, or since the session has ended, and
  /// then `why`.
  virtual void on_cancelled(const std::optional<Error>& why) = 0;
  /// How many stand before it.
  virtual void on_queued(std::size_t /*position*/) {}

 protected:
  void set_body(std::string body) { body_ = std::move(body); }

 private:
  protocol::FrameType type_;
  std::string body_;
  std::chrono::milliseconds timeout_;
  std::chrono::milliseconds grace_;
};

/// A request whose answer is one frame: complete, inspect, variables, …
class Query final : public Request {
 public:
  using Request::Request;

  /// Blocks. Error kind: host_error.
  Expected<protocol::Frame> wait() { return answer_.get_future().get(); }

  void on_reply(protocol::Frame frame, Stop /*stop*/) override {
    answer_.set_value(std::move(frame));
  }
  void on_process_end(const ProcessEnd& end, Stop /*stop*/) override {
    answer_.set_value(Error{ErrorKind::host_error,
                            end.message.empty()
                                ? "The session's process ended before it answered; run the next "
                                  "cell to start a fresh one."
                                : end.message});
  }
  void on_cancelled(const std::optional<Error>& why) override {
    answer_.set_value(why.value_or(Error{ErrorKind::host_error, "The call was taken back."}));
  }

 private:
  std::promise<Expected<protocol::Frame>> answer_;
};

}  // namespace cellblock::host

// One request and its answer, as a handler sees them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace cellblock::http {

/// Thread-safe. The answer is either one respond(), or open_stream(), any number of send_event()
/// and end_stream(); calls out of this order do nothing. A handler may keep the exchange and answer
/// later, from any thread; the last handle dropped without an answer gives 500, or cuts the stream
/// off.
class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Without its body.
  [[nodiscard]] virtual const Request& request() const = 0;
  /// The body; empty when it has been taken before.
  [[nodiscard]] virtual std::string take_body() = 0;

  /// Never blocks.
  virtual void respond(const Response& response) = 0;

  /// Status 200 and text/event-stream. Never blocks.
  virtual void open_stream(const Headers& headers) = 0;
  /// Blocks while the client has too much to read still; that ends when the client is cut off,
  /// Limits::write_deadline after it last took something. False: the client has gone.
  virtual bool send_event(std::string_view data) = 0;
  virtual void end_stream() = 0;

  /// `held` is let go when the client has the whole answer, or has gone.
  virtual void hold(std::shared_ptr<const void> held) = 0;

  /// `call` is called once if the client goes before it has the whole answer: on the server's own
  /// thread, where it must not block, or at once when that has happened already. A client that
  /// closes only its sending side has gone, too. Takes the place of an earlier `call`.
  virtual void on_gone(std::function<void()> call) = 0;

 protected:
  Exchange() = default;
};

/// Called on a thread of its own among Limits::max_handlers; may block. What it throws gives 500.
using Handler = std::function<void(const std::shared_ptr<Exchange>&)>;

}  // namespace cellblock::http

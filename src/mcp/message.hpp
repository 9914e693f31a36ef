// What a peer sends: JSON-RPC 2.0, read once, before anybody acts on it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cellblock/expected.hpp"
#include "rpc/json_text.hpp"

namespace cellblock::mcp {

/// What a request comes to, ready to be sent.
struct Answer {
  /// What a transport with status codes of its own needs to know (HTTP's in brackets).
  enum class Kind {
    none,       ///< nothing is sent: it was a notification [202], or it was cancelled
    result,     ///< [200]; a tool that failed is a result, too
    error,      ///< a JSON-RPC error about a request that was in order itself [200]
    malformed,  ///< no JSON, no request, a version or header that is wrong [400]
    no_method,  ///< -32601 [404 in the stateless era, 200 in the handshake's]
  };

  Kind kind = Kind::none;
  /// One JSON-RPC response, or an array of them, on one line without its newline; empty for `none`.
  std::string text;
  /// Its place in the server's memory for answers; to be kept until the text has been sent.
  std::shared_ptr<const void> held = nullptr;
};

/// How versions are agreed on: by `initialize`, or in each request's _meta (2026-07-28 and later).
enum class Era { handshake, stateless };

/// A message that is JSON and of the right shape. Immutable and cheap to copy; thread-safe.
class Message final {
 public:
  enum class Kind {
    request,
    notification,
    response,  ///< nothing is ever asked of a peer, so handle() drops it
    batch,     ///< only the handshake version 2025-03-26 has these
  };

  /// Longer text is refused.
  static constexpr std::size_t kMaxBytes = 64U << 20;

  /// Reads JSON in UTF-8: one object, or an array of them. Repeated keys, NaN, numbers out of range
  /// and deep nesting are refused. The error is the answer to send (kind malformed, without an id
  /// where the request's could not be read). Never throws.
  static Expected<Message, Answer> parse(std::string_view text);
  /// What parse says of a text that is longer than kMaxBytes, for who does not read it to its end.
  static Answer too_long();

  [[nodiscard]] Kind kind() const;
  /// Of a request or notification, as the peer gave it; else empty.
  [[nodiscard]] const std::string& method() const;
  /// A request is stateless that has one of that era's own keys in its _meta or one of its own
  /// methods, whatever came before it on the same connection.
  [[nodiscard]] Era era() const;
  /// Whether somebody waits for an answer: a request, or a batch that has one in it.
  [[nodiscard]] bool wants_answer() const;

  /// Its contents, for the server (message_body.hpp).
  struct Body;
  [[nodiscard]] const Body& body() const { return *body_; }

 private:
  explicit Message(std::shared_ptr<const Body> body);
  /// One object; takes what it needs out of it.
  static Expected<Message, Answer> read(rpc::Json& json);

  std::shared_ptr<const Body> body_;
};

}  // namespace cellblock::mcp

// One request out of the bytes of a connection.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "http/limits.hpp"
#include "http/message.hpp"

namespace cellblock::http {

/// Strict HTTP/1.1: CRLF only, absolute paths only, and one way to tell where the body ends. For
/// one thread.
class RequestParser final {
 public:
  enum class Got {
    more,     ///< the bytes are used up
    head,     ///< the head is whole, once; go on with take() to get the body
    request,  ///< the request is whole; bytes that are left belong to the next one
    refused,  ///< see refusal(); the connection is of no use any more
  };

  explicit RequestParser(const Limits& limits);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Takes from the front of `bytes` what it can use.
  Got take(std::string& bytes);

  /// Without its body until the request is whole.
  [[nodiscard]] Request& request() { return request_; }
  [[nodiscard]] Response& refusal() { return refusal_; }
  /// From the head: how much of a body is announced, at most; 0 is none.
  [[nodiscard]] std::size_t announced_body() const;
  /// Whether the client waits for a word before it sends the body.
  [[nodiscard]] bool expects_continue() const;
  /// Whether the client wants to use the connection again.
  [[nodiscard]] bool keeps_alive() const;

 private:
  struct Beast;

  Got take_head(std::string& bytes);
  Got take_body(std::string& bytes);
  Got refuse(unsigned status, std::string_view message);
  Got check_head();

  const Limits& limits_;
  std::unique_ptr<Beast> beast_;
  bool head_done_ = false;
  std::size_t scanned_ = 0;
  Request request_;
  Response refusal_;
};

}  // namespace cellblock::http

// A request that gets a JSON-RPC error, and the texts of answers.
#pragma once

#include <string>

#include "mcp/message.hpp"
#include "rpc/json_text.hpp"
#include "tool/facts.hpp"

namespace cellblock::mcp {

/// Members of answers stay in the order in which they were put.
using Json = tool::Json;

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kUnsupportedVersion = -32022;
/// The handshake era's; since then it is kInvalidParams.
inline constexpr int kResourceNotFound = -32002;

struct Refusal {
  int code = kInvalidParams;
  /// One sentence that says what to do.
  std::string message;
  Json data;  ///< null: none
  Answer::Kind kind = Answer::Kind::error;
};

inline Refusal malformed(int code, std::string message) {
  return {code, std::move(message), nullptr, Answer::Kind::malformed};
}

/// `id` null: the request's could not be read, and the answer has none.
Answer answer(const rpc::Json& id, const Refusal& refusal);
Answer answer(const rpc::Json& id, const Json& result);

/// One line; what is no UTF-8 in a string is replaced.
std::string to_line(const Json& value);

}  // namespace cellblock::mcp

// Why a request was refused, as JSON-RPC tells it.
#pragma once

#include <string>
#include <utility>

#include "cellblock/expected.hpp"

namespace cellblock::rpc {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
/// What the library refused, and limits of this face.
inline constexpr int kServerError = -32000;

/// `kind` becomes data.kind.
struct RpcError {
  int code = kServerError;
  ErrorKind kind = ErrorKind::host_error;
  std::string message;
};

inline RpcError server_error(Error error) {
  return RpcError{kServerError, error.kind, std::move(error.message)};
}

inline RpcError bad_params(std::string message) {
  return RpcError{kInvalidParams, ErrorKind::bad_argument, std::move(message)};
}

/// What a method gives: the JSON text of its result.
using Outcome = Expected<std::string, RpcError>;

}  // namespace cellblock::rpc

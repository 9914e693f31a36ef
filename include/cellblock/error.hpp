// What went wrong on the host's side of a call, as a value.
//
// What user code did is never an Error: it is an ExecutionResult.
#pragma once

#include <string>
#include <string_view>

namespace cellblock {

/// The kinds that the JSON-RPC face reports as `data.kind`; the names are the same there.
enum class ErrorKind {
  unknown_session,
  expired,
  busy_limit,
  policy_invalid,
  isolation_unavailable,
  unsupported,
  bad_argument,
  too_large,
  host_error,
};

/// The kind's wire name, for example "policy_invalid".
std::string_view to_string(ErrorKind kind);

/// `message` is one sentence that says what to do.
struct Error {
  ErrorKind kind = ErrorKind::host_error;
  std::string message;
};

}  // namespace cellblock

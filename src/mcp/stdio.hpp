// `cellblock mcp` on standard input and output: one peer, a JSON-RPC message a line each way.
#pragma once

#include <functional>

#include "base/unique_fd.hpp"
#include "mcp/server.hpp"

namespace cellblock::mcp {

struct StdioOptions {
  ServerOptions server;
  /// Looks at the executor, on another thread, while requests are already taken; an error ends the
  /// server. May block.
  std::function<Expected<void>(Executor&)> check;
};

/// Serves one peer, of either era. Blocks until the peer is gone (its input was closed, it reads no
/// more) or `wake_fd`, an eventfd, becomes readable. Then executions are cancelled, sessions
/// closed, and what was ready has been written, all of it within two seconds; what takes longer
/// ends with the process, so the caller should leave by _Exit.
///
/// Gives the error that ended it: the executor cannot be made, or the check's.
Expected<void> serve_stdio(base::UniqueFd input, base::UniqueFd output, int wake_fd,
                           StdioOptions options);

}  // namespace cellblock::mcp

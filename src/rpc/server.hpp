// `cellblock serve --stdio`: one peer, many sessions.
#pragma once

#include "base/unique_fd.hpp"
#include "rpc/service.hpp"

namespace cellblock::rpc {

/// Serves one peer, a JSON object a line each way. Blocks until the peer is gone (its input was
/// closed, it reads no more) or `wake_fd`, an eventfd, becomes readable. Then executions are
/// cancelled, sessions closed, and what was ready has been written, all of it within two seconds;
/// what takes longer ends with the process, so the caller should leave by _Exit.
///
/// Gives the error that ended it: the default executor cannot be made, or the check's.
Expected<void> serve(base::UniqueFd input, base::UniqueFd output, int wake_fd,
                     const ServerOptions& options);

}  // namespace cellblock::rpc

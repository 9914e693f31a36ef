// `cellblock serve --socket`: many peers, each with its own sessions; one engine for all.
#pragma once

#include "rpc/listening_socket.hpp"
#include "rpc/service.hpp"

namespace cellblock::rpc {

/// Peers at once; who comes then is told so and cut off.
inline constexpr std::size_t kMaxPeers = 64;

/// Serves whoever connects, as `serve` does its one peer; a process of another user is refused. The
/// sessions of a peer end when its connection does. Blocks until `wake_fd`, an eventfd, becomes
/// readable; then all of it ends within two seconds, or with the process: leave by _Exit.
///
/// Gives the error that ended it: the default executor cannot be made, or the check's.
Expected<void> serve_socket(ListeningSocket listener, int wake_fd, const ServerOptions& options);

}  // namespace cellblock::rpc

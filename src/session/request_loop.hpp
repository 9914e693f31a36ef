// What a session does all its life: takes a request, answers it.
#pragma once

#include "python/runtime.hpp"
#include "session/channel.hpp"

namespace cellblock::session {

enum class LoopEnd {
  host_gone,      ///< the channel was closed, or the host sent what is no request
  shut_down,      ///< as it was asked to; atexit functions have run
  cannot_answer,  ///< the code has closed or replaced its own channel
};

/// Blocks until the session is over. GIL held on entry.
LoopEnd run_request_loop(Channel& channel, python::Runtime& runtime);

}  // namespace cellblock::session

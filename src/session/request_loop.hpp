// What a session does all its life: takes a request, answers it.
#pragma once

#include "python/runtime.hpp"
#include "session/channel.hpp"

namespace cellblock::session {

/// Ends the process: with the host (channel closed), on a shutdown request, or when the host sends
/// what is no request. GIL held on entry.
[[noreturn]] void run_request_loop(Channel& channel, python::Runtime& runtime);

}  // namespace cellblock::session

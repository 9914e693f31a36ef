#include "session/request_loop.hpp"

#include <unistd.h>

#include <ctime>
#include <string>

#include "protocol/messages.hpp"
#include "python/gil.hpp"

namespace cellblock::session {
namespace {

using protocol::Frame;
using protocol::FrameType;

[[noreturn]] void leave() { ::_exit(0); }

/// The code has closed or replaced its own channel: the host sees that and ends the process, which
/// tells the reason better than an exit of ours, that would look like the code's. The bound is for
/// a host that is gone.
[[noreturn]] void wait_to_be_ended() {
  constexpr timespec bound{.tv_sec = 2, .tv_nsec = 0};
  ::nanosleep(&bound, nullptr);
  leave();
}

template <class Request>
Request decode_or_leave(const Frame& frame) {
  auto request = Request::decode(frame.body);
  if (!request) leave();
  return std::move(*request);
}

void answer(Channel& channel, FrameType type, const Frame& request, const std::string& body) {
  // A reply may wait for the host to read: the session's own threads go on meanwhile.
  const python::GilRelease unlocked;
  if (!channel.send(type, request.id, body)) wait_to_be_ended();
}

void execute(Channel& channel, python::Runtime& runtime, const Frame& frame) {
  const auto request = decode_or_leave<protocol::ExecuteRequest>(frame);
  channel.set_current_execution(frame.id);
  const std::string body = runtime.execute(request);
  answer(channel, FrameType::execute_reply, frame, body);
}

void dispatch(Channel& channel, python::Runtime& runtime, const Frame& frame) {
  using protocol::CodeRequest;
  switch (frame.type) {
    case FrameType::execute_request:
      return execute(channel, runtime, frame);
    case FrameType::complete_request:
      return answer(channel, FrameType::complete_reply, frame,
                    runtime.complete(decode_or_leave<CodeRequest>(frame)));
    case FrameType::inspect_request:
      return answer(channel, FrameType::inspect_reply, frame,
                    runtime.inspect(decode_or_leave<CodeRequest>(frame)));
    case FrameType::is_complete_request:
      return answer(channel, FrameType::is_complete_reply, frame,
                    runtime.is_complete(decode_or_leave<CodeRequest>(frame)));
    case FrameType::variables_request:
      return answer(channel, FrameType::variables_reply, frame, runtime.variables());
    case FrameType::reset_request:
      return answer(channel, FrameType::reset_reply, frame, runtime.reset());
    case FrameType::shutdown_request:
      runtime.shutdown();
      leave();
    default:
      leave();
  }
}

}  // namespace

void run_request_loop(Channel& channel, python::Runtime& runtime) {
  while (const auto frame = channel.receive()) dispatch(channel, runtime, *frame);
  leave();
}

}  // namespace cellblock::session

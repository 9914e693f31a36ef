#include "session/request_loop.hpp"

#include <optional>
#include <string>

#include "protocol/messages.hpp"
#include "python/gil.hpp"
#include "python/subinterpreter.hpp"
#include "session/memory_reserve.hpp"

namespace cellblock::session {
namespace {

using protocol::Frame;
using protocol::FrameType;

/// Why the loop ends, if it does.
using Ending = std::optional<LoopEnd>;

Ending answer(Channel& channel, FrameType type, const Frame& request, const std::string& body) {
  // A reply may wait for the host to read: the session's own threads go on meanwhile.
  const python::GilRelease unlocked;
  if (channel.send(type, request.id, body)) return std::nullopt;
  return LoopEnd::cannot_answer;
}

Ending execute(Channel& channel, python::Runtime& runtime, const Frame& frame) {
  const auto request = protocol::ExecuteRequest::decode(frame.body);
  if (!request) return LoopEnd::host_gone;
  channel.set_current_execution(frame.id);
  const std::string body = runtime.execute(*request);
  return answer(channel, FrameType::execute_reply, frame, body);
}

Ending ask(Channel& channel, FrameType reply, python::Runtime& runtime,
           std::string (python::Runtime::*question)(const protocol::CodeRequest&),
           const Frame& frame) {
  const auto request = protocol::CodeRequest::decode(frame.body);
  if (!request) return LoopEnd::host_gone;
  return answer(channel, reply, frame, (runtime.*question)(*request));
}

Ending dispatch(Channel& channel, python::Runtime& runtime, const Frame& frame) {
  using python::Runtime;
  switch (frame.type) {
    case FrameType::execute_request:
      return execute(channel, runtime, frame);
    case FrameType::complete_request:
      return ask(channel, FrameType::complete_reply, runtime, &Runtime::complete, frame);
    case FrameType::inspect_request:
      return ask(channel, FrameType::inspect_reply, runtime, &Runtime::inspect, frame);
    case FrameType::is_complete_request:
      return ask(channel, FrameType::is_complete_reply, runtime, &Runtime::is_complete, frame);
    case FrameType::variables_request:
      return answer(channel, FrameType::variables_reply, frame, runtime.variables());
    case FrameType::reset_request:
      return answer(channel, FrameType::reset_reply, frame, runtime.reset());
    case FrameType::shutdown_request:
      runtime.shutdown();
      return LoopEnd::shut_down;
    default:
      return LoopEnd::host_gone;
  }
}

}  // namespace

LoopEnd run_request_loop(Channel& channel, python::Runtime& runtime) {
  while (const auto frame = channel.receive()) {
    refill_memory_reserve();
    channel.set_busy(frame->id);
    const Ending ending = dispatch(channel, runtime, *frame);
    channel.set_busy(0);
    // An interrupt of this request must not hit the next one.
    python::drop_interrupt(python::current_thread());
    if (ending) return *ending;
  }
  return LoopEnd::host_gone;
}

}  // namespace cellblock::session

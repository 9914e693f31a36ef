// What a hostile session can write on its channel, against the host's reader of it.
//
// An input is one byte that chooses the sizes of the chunks and the limits, then the stream. Beside
// memory errors it looks for what must hold of every stream: how it is cut into reads changes
// nothing, the parser keeps no more than its limits allow, and what was parsed encodes to the bytes
// that came.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/frame.hpp"
#include "protocol/messages.hpp"

namespace {

using namespace cellblock;
using namespace cellblock::protocol;

void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "frame_parser_fuzzer: does not hold: %s\n", claim);
  std::abort();
}

struct Parsed {
  std::vector<Frame> frames;
  std::optional<ErrorKind> error;
};

/// Takes every frame that is there; false when the stream ended in an error.
bool drain(FrameParser& parser, Parsed& parsed) {
  for (;;) {
    auto frame = parser.next();
    if (!frame) {
      parsed.error = frame.error().kind;
      return false;
    }
    if (!frame->has_value()) return true;
    parsed.frames.push_back(std::move(**frame));
  }
}

/// `step` decides the sizes of the reads; 0: all at once.
Parsed parse(std::string_view stream, const FrameLimits& limits, unsigned step) {
  FrameParser parser(limits);
  Parsed parsed;
  const std::size_t bound = sizeof(FrameHeader) + limits.max_attachments * sizeof(std::uint32_t) +
                            limits.max_body_bytes + limits.max_attachment_bytes;
  std::size_t size = step == 0 ? stream.size() : step;
  while (!stream.empty()) {
    const std::string_view chunk = stream.substr(0, size);
    stream.remove_prefix(chunk.size());
    parser.feed(chunk);
    if (!drain(parser, parsed)) break;
    require(parser.buffered() < bound, "what is kept of an unfinished frame is within the limits");
    size = (size * 31 + step) % 97 + 1;
  }
  return parsed;
}

template <class Message>
void decode_message(std::string_view body) {
  const auto message = Message::decode(body);
  if (!message) return;
  if constexpr (requires { message->encode(); }) {
    const std::string bytes = message->encode();
    const auto again = Message::decode(bytes);
    require(again.has_value(), "a message that was decoded encodes to one that can be decoded");
    require(again->encode() == bytes, "encoding is stable");
  }
}

template <class... Messages>
void decode_messages(std::string_view body) {
  (decode_message<Messages>(body), ...);
}

/// A hostile peer can send any body under any type.
void decode_all(const Frame& frame) {
  static_cast<void>(decode_body(frame.body));
  decode_messages<ZygoteReady, ZygoteFailed, ForkRequest, SessionConfig, ForkReply, SessionExited,
                  SessionReady, SessionFailed, ExecuteRequest, CodeRequest, ExecuteReply,
                  CompleteReply, InspectReply, IsCompleteReply>(frame.body);
  static_cast<void>(decode_display(frame.body, frame.attachments));
  static_cast<void>(decode_variables(frame.body));
}

std::string encode(const Frame& frame) {
  const std::vector<std::string_view> attachments(frame.attachments.begin(),
                                                  frame.attachments.end());
  return encode_frame(frame.type, frame.id, frame.body, attachments, frame.descriptor_count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned step = data[0] & 0x3fU;
  FrameLimits limits;
  // Small ones as well: the defaults are beyond what an input can reach.
  if ((data[0] & 0x40U) != 0) {
    limits = {.max_body_bytes = 512,
              .max_attachment_bytes = 256,
              .max_attachments = 4,
              .max_descriptors = 2};
  }
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);

  const Parsed whole = parse(stream, limits, 0);
  const Parsed cut = parse(stream, limits, step + 1);
  require(whole.frames.size() == cut.frames.size(), "reads of another size give the same frames");
  require(whole.error == cut.error, "reads of another size give the same error");

  std::string encoded;
  for (const Frame& frame : whole.frames) {
    encoded += encode(frame);
    decode_all(frame);
  }
  require(stream.substr(0, encoded.size()) == encoded, "frames encode to the bytes that came");
  return 0;
}

// Frames: how host, zygote and session speak over a SOCK_STREAM unix socket.
//
// A frame is a fixed header, the attachments' lengths (u32 each), a MessagePack body and the raw
// attachments. Numbers are in the machine's byte order: both ends run on one machine. Descriptors
// travel by SCM_RIGHTS with the frame's first byte. docs/protocol.md has the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/expected.hpp"

namespace cellblock::protocol {

enum class FrameType : std::uint8_t {
  // zygote → host, host → zygote; `id` is the fork's number
  zygote_ready = 1,
  zygote_failed = 2,
  fork_request = 3,
  fork_reply = 4,
  session_exited = 5,
  // session → host, once
  session_ready = 16,
  session_failed = 17,
  // host ↔ session; `id` is the request's number
  execute_request = 32,
  execute_reply = 33,
  display_event = 34,
  complete_request = 35,
  complete_reply = 36,
  inspect_request = 37,
  inspect_reply = 38,
  is_complete_request = 39,
  is_complete_reply = 40,
  variables_request = 41,
  variables_reply = 42,
  reset_request = 43,
  reset_reply = 44,
  shutdown_request = 45,
};

/// As it stands on the wire.
struct FrameHeader {
  std::uint32_t magic;
  std::uint8_t version;
  std::uint8_t type;
  std::uint16_t attachment_count;
  std::uint32_t body_length;
  std::uint16_t descriptor_count;
  std::uint16_t flags;  // 0 in this version
  std::uint64_t id;
};
static_assert(sizeof(FrameHeader) == 24);

inline constexpr std::uint32_t kFrameMagic = 0x314b4243;  // "CBK1"
inline constexpr std::uint8_t kFrameVersion = 1;

struct Frame {
  FrameType type{};
  std::uint64_t id = 0;
  std::uint16_t descriptor_count = 0;
  std::string body;
  std::vector<std::string> attachments;
};

/// What a reader is willing to hold of one frame; the other side may be hostile.
struct FrameLimits {
  std::uint32_t max_body_bytes = 16U << 20;
  std::uint32_t max_attachment_bytes = 64U << 20;  // of all attachments together
  std::uint16_t max_attachments = 64;
  std::uint16_t max_descriptors = 8;
};

/// Header and attachment lengths, body and attachments in one string.
std::string encode_frame(FrameType type, std::uint64_t id, std::string_view body,
                         std::span<const std::string_view> attachments = {},
                         std::uint16_t descriptor_count = 0);

/// Header and attachment lengths alone, for a writer that sends the parts without copying them.
std::string encode_frame_head(FrameType type, std::uint64_t id, std::size_t body_length,
                              std::span<const std::uint32_t> attachment_lengths = {},
                              std::uint16_t descriptor_count = 0);

/// Takes bytes as they come and gives frames. Memory is bounded by the limits: a length is checked
/// before anything is kept for it. An error is final: the stream cannot be trusted any more.
class FrameParser final {
 public:
  explicit FrameParser(FrameLimits limits = {}) : limits_(limits) {}

  void feed(std::string_view bytes) { buffer_.append(bytes); }
  /// The next whole frame, or nothing when more bytes are needed. Error kinds: too_large,
  /// bad_argument (not a frame, unknown type or version).
  Expected<std::optional<Frame>> next();
  [[nodiscard]] std::size_t buffered() const { return buffer_.size() - consumed_; }

 private:
  FrameLimits limits_;
  std::string buffer_;
  std::size_t consumed_ = 0;
};

}  // namespace cellblock::protocol

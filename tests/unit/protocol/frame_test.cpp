#include "protocol/frame.hpp"

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::protocol;

namespace {

FrameHeader header_of(const std::string& bytes) {
  FrameHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

std::string with_header(FrameHeader header, std::string_view rest = {}) {
  std::string bytes(sizeof(header), '\0');
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes.append(rest);
}

FrameHeader plain_header() { return header_of(encode_frame(FrameType::execute_request, 7, "")); }

std::optional<ErrorKind> error_of(std::string_view bytes, FrameLimits limits = {}) {
  FrameParser parser(limits);
  parser.feed(bytes);
  const auto frame = parser.next();
  if (frame) return std::nullopt;
  return frame.error().kind;
}

const std::array<std::string_view, 3> kAttachments{"first", "", std::string_view("\0\xFF", 2)};

}  // namespace

TEST_CASE("Frames come back whole wherever the bytes were split") {
  const std::string bytes = encode_frame(FrameType::display_event, 42, "body", kAttachments, 3) +
                            encode_frame(FrameType::shutdown_request, ~0ULL, "");
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      FrameParser parser;
      std::vector<Frame> frames;
      for (const auto& chunk :
           {bytes.substr(0, first), bytes.substr(first, second - first), bytes.substr(second)}) {
        parser.feed(chunk);
        while (true) {
          auto frame = parser.next();
          REQUIRE(frame);
          if (!*frame) break;
          frames.push_back(**std::move(frame));
        }
      }
      REQUIRE(frames.size() == 2);
      CHECK(frames[0].type == FrameType::display_event);
      CHECK(frames[0].id == 42);
      CHECK(frames[0].descriptor_count == 3);
      CHECK(frames[0].body == "body");
      REQUIRE(frames[0].attachments.size() == 3);
      for (std::size_t i = 0; i < 3; ++i) CHECK(frames[0].attachments[i] == kAttachments[i]);
      CHECK(frames[1].type == FrameType::shutdown_request);
      CHECK(frames[1].id == ~0ULL);
      CHECK(frames[1].body.empty());
      CHECK(parser.buffered() == 0);
    }
  }
}

TEST_CASE("A head and its parts make the same bytes as a whole frame") {
  const std::array<std::uint32_t, 3> lengths{5, 0, 2};
  std::string parts = encode_frame_head(FrameType::display_event, 1, 4, lengths) + "body";
  for (const auto attachment : kAttachments) parts += attachment;
  CHECK(parts == encode_frame(FrameType::display_event, 1, "body", kAttachments));
}

TEST_CASE("Only the types of this version are known") {
  const std::string known =
      "\x01\x02\x03\x04\x05\x10\x11\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29"
      "\x2a\x2b\x2c\x2d";
  for (int type = 0; type < 256; ++type) {
    auto header = plain_header();
    header.type = static_cast<std::uint8_t>(type);
    INFO(type);
    const bool expected = known.find(static_cast<char>(type)) != std::string::npos;
    CHECK(error_of(with_header(header)) ==
          (expected ? std::nullopt : std::optional(ErrorKind::bad_argument)));
  }
}

TEST_CASE("Another magic, version or a flag is no frame") {
  auto header = plain_header();
  header.magic ^= 1;
  CHECK(error_of(with_header(header)) == ErrorKind::bad_argument);
  header = plain_header();
  header.version = 2;
  CHECK(error_of(with_header(header)) == ErrorKind::bad_argument);
  header = plain_header();
  header.flags = 1;
  CHECK(error_of(with_header(header)) == ErrorKind::bad_argument);
}

TEST_CASE("A length over a limit is refused from the header alone") {
  const FrameLimits limits{.max_body_bytes = 100,
                           .max_attachment_bytes = 50,
                           .max_attachments = 2,
                           .max_descriptors = 1};
  auto header = plain_header();
  header.body_length = 100;
  CHECK(error_of(with_header(header), limits) == std::nullopt);
  header.body_length = 101;
  CHECK(error_of(with_header(header), limits) == ErrorKind::too_large);
  header.body_length = ~0U;
  CHECK(error_of(with_header(header)) == ErrorKind::too_large);

  header = plain_header();
  header.attachment_count = 3;
  CHECK(error_of(with_header(header), limits) == ErrorKind::too_large);
  header = plain_header();
  header.descriptor_count = 2;
  CHECK(error_of(with_header(header), limits) == ErrorKind::too_large);
}

TEST_CASE("Attachments are measured together, without overflow") {
  const FrameLimits limits{.max_attachment_bytes = 50};
  const auto head = [](std::uint32_t first, std::uint32_t second) {
    return encode_frame_head(FrameType::display_event, 1, 0, std::array{first, second});
  };
  CHECK(error_of(head(25, 25), limits) == std::nullopt);
  CHECK(error_of(head(25, 26), limits) == ErrorKind::too_large);
  CHECK(error_of(head(~0U, 1), limits) == ErrorKind::too_large);
}

TEST_CASE("An error is final") {
  FrameParser parser;
  parser.feed(with_header(FrameHeader{}));
  REQUIRE_FALSE(parser.next());
  parser.feed(encode_frame(FrameType::session_ready, 1, ""));
  CHECK_FALSE(parser.next());
}

TEST_CASE("A cut frame is waited for and keeps what has come") {
  const std::string bytes = encode_frame(FrameType::execute_reply, 9, std::string(1000, 'b'));
  FrameParser parser;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    parser.feed(bytes.substr(i, 1));
    const auto frame = parser.next();
    REQUIRE(frame);
    REQUIRE_FALSE(frame->has_value());
    REQUIRE(parser.buffered() == i + 1);
  }
  parser.feed(bytes.substr(bytes.size() - 1));
  const auto frame = parser.next();
  REQUIRE(frame);
  REQUIRE(frame->has_value());
  CHECK((*frame)->body == std::string(1000, 'b'));
}

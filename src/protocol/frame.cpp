#include "protocol/frame.hpp"

#include <cstring>

namespace cellblock::protocol {
namespace {

bool is_known(std::uint8_t type) {
  return (type >= 1 && type <= 5) || type == 16 || type == 17 || (type >= 32 && type <= 45);
}

Error violation(ErrorKind kind, std::string message) { return Error{kind, std::move(message)}; }

}  // namespace

std::string encode_frame_head(FrameType type, std::uint64_t id, std::size_t body_length,
                              std::span<const std::uint32_t> attachment_lengths,
                              std::uint16_t descriptor_count) {
  const FrameHeader header{
      .magic = kFrameMagic,
      .version = kFrameVersion,
      .type = static_cast<std::uint8_t>(type),
      .attachment_count = static_cast<std::uint16_t>(attachment_lengths.size()),
      .body_length = static_cast<std::uint32_t>(body_length),
      .descriptor_count = descriptor_count,
      .flags = 0,
      .id = id,
  };
  std::string head(sizeof(header) + attachment_lengths.size_bytes(), '\0');
  std::memcpy(head.data(), &header, sizeof(header));
  if (!attachment_lengths.empty()) {
    std::memcpy(head.data() + sizeof(header), attachment_lengths.data(),
                attachment_lengths.size_bytes());
  }
  return head;
}

std::string encode_frame(FrameType type, std::uint64_t id, std::string_view body,
                         std::span<const std::string_view> attachments,
                         std::uint16_t descriptor_count) {
  std::vector<std::uint32_t> lengths;
  lengths.reserve(attachments.size());
  for (const auto attachment : attachments) {
    lengths.push_back(static_cast<std::uint32_t>(attachment.size()));
  }
  std::string frame = encode_frame_head(type, id, body.size(), lengths, descriptor_count);
  frame.append(body);
  for (const auto attachment : attachments) frame.append(attachment);
  return frame;
}

Expected<std::optional<Frame>> FrameParser::next() {
  const std::string_view bytes = std::string_view(buffer_).substr(consumed_);
  FrameHeader header{};
  if (bytes.size() < sizeof(header)) return std::optional<Frame>{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kFrameMagic) {
    return violation(ErrorKind::bad_argument, "The peer sent bytes that are no frame.");
  }
  if (header.version != kFrameVersion || !is_known(header.type) || header.flags != 0) {
    return violation(ErrorKind::bad_argument, "The peer sent a frame of an unknown kind.");
  }
  if (header.body_length > limits_.max_body_bytes ||
      header.attachment_count > limits_.max_attachments ||
      header.descriptor_count > limits_.max_descriptors) {
    return violation(ErrorKind::too_large, "The peer sent a frame over the size limit.");
  }
  const std::size_t head = sizeof(header) + header.attachment_count * sizeof(std::uint32_t);
  if (bytes.size() < head) return std::optional<Frame>{};
  std::vector<std::uint32_t> lengths(header.attachment_count);
  if (!lengths.empty()) {
    std::memcpy(lengths.data(), bytes.data() + sizeof(header),
                lengths.size() * sizeof(std::uint32_t));
  }
  std::uint64_t attachment_bytes = 0;
  for (const auto length : lengths) attachment_bytes += length;
  if (attachment_bytes > limits_.max_attachment_bytes) {
    return violation(ErrorKind::too_large, "The peer sent attachments over the size limit.");
  }
  if (bytes.size() < head + header.body_length + attachment_bytes) return std::optional<Frame>{};

  Frame frame{.type = static_cast<FrameType>(header.type),
              .id = header.id,
              .descriptor_count = header.descriptor_count,
              .body = std::string(bytes.substr(head, header.body_length)),
              .attachments = {}};
  std::size_t position = head + header.body_length;
  frame.attachments.reserve(lengths.size());
  for (const auto length : lengths) {
    frame.attachments.emplace_back(bytes.substr(position, length));
    position += length;
  }
  consumed_ += position;
  if (consumed_ == buffer_.size()) {
    buffer_.clear();
    consumed_ = 0;
  } else if (consumed_ > buffer_.size() / 2) {
    buffer_.erase(0, consumed_);
    consumed_ = 0;
  }
  return std::optional<Frame>(std::move(frame));
}

}  // namespace cellblock::protocol

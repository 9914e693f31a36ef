#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>

namespace cellblock::base {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint8_t at(std::string_view bytes, std::size_t i) {
  return static_cast<std::uint8_t>(bytes[i]);
}

bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

/// One sequence at the start of `bytes` (table 3-7 of the Unicode Standard). `length`: how many
/// bytes belong together; `complete`: they are a character; `needed`: more bytes could make it one.
struct Sequence {
  std::size_t length = 1;
  bool complete = false;
  bool needs_more = false;
};

Sequence scan(std::string_view bytes) {
  const std::uint8_t lead = at(bytes, 0);
  if (lead < 0x80) return {1, true, false};
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i == bytes.size()) return {i, false, true};
    const std::uint8_t byte = at(bytes, i);
    if (byte < low || byte > high) return {i, false, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true, false};
}

}  // namespace

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto* ascii_end = std::find_if(bytes.begin(), bytes.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0x80) != 0;
    });
    if (ascii_end != bytes.begin()) {
      const auto count = static_cast<std::size_t>(ascii_end - bytes.begin());
      text.append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      continue;
    }
    const Sequence sequence = scan(bytes);
    text.append(sequence.complete ? bytes.substr(0, sequence.length) : kReplacement);
    bytes.remove_prefix(sequence.length);
  }
  return text;
}

std::size_t incomplete_tail(std::string_view bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes.size()); ++back) {
    const std::uint8_t byte = at(bytes, bytes.size() - back);
    if (is_continuation(byte)) continue;
    const Sequence sequence = scan(bytes.substr(bytes.size() - back));
    return sequence.needs_more && sequence.length == back ? back : 0;
  }
  return 0;
}

std::size_t floor_to_character(std::string_view bytes, std::size_t position) {
  position = std::min(position, bytes.size());
  std::size_t cut = position;
  while (cut > 0 && cut < bytes.size() && position - cut < 3 && is_continuation(at(bytes, cut)))
    --cut;
  return cut;
}

std::size_t ceil_to_character(std::string_view bytes, std::size_t position) {
  position = std::min(position, bytes.size());
  std::size_t cut = position;
  while (cut < bytes.size() && cut - position < 3 && is_continuation(at(bytes, cut))) ++cut;
  return cut;
}

std::string Utf8Stream::feed(std::string_view bytes) {
  std::string joined = std::move(waiting_);
  joined.append(bytes);
  const std::size_t tail = incomplete_tail(joined);
  waiting_ = joined.substr(joined.size() - tail);
  joined.resize(joined.size() - tail);
  return to_valid_utf8(joined);
}

std::string Utf8Stream::finish() {
  std::string text = to_valid_utf8(waiting_);
  waiting_.clear();
  return text;
}

}  // namespace cellblock::base

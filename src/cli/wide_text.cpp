#include "cli/wide_text.hpp"

#include <cstdint>

#include "base/utf8.hpp"

namespace cellblock::cli {

static_assert(sizeof(wchar_t) == 4, "a wide character must hold a code point");

std::wstring to_wide(std::string_view text) {
  const std::string valid = base::to_valid_utf8(text);
  std::wstring wide;
  for (std::size_t at = 0; at < valid.size();) {
    const auto first = static_cast<std::uint8_t>(valid[at]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::uint32_t code_point = length == 1 ? first : first & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      code_point = code_point << 6 | (static_cast<std::uint8_t>(valid[at + i]) & 0x3f);
    }
    wide.push_back(static_cast<wchar_t>(code_point));
    at += length;
  }
  return wide;
}

std::string to_utf8(std::wstring_view text) {
  std::string utf8;
  const auto put = [&utf8](std::uint32_t byte) { utf8.push_back(static_cast<char>(byte)); };
  for (const wchar_t wide : text) {
    auto c = static_cast<std::uint32_t>(wide);
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) c = 0xfffd;
    if (c < 0x80) {
      put(c);
      continue;
    }
    if (c < 0x800) {
      put(0xc0 | c >> 6);
    } else {
      if (c < 0x10000) {
        put(0xe0 | c >> 12);
      } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
      }
      put(0x80 | (c >> 6 & 0x3f));
    }
    put(0x80 | (c & 0x3f));
  }
  return utf8;
}

}  // namespace cellblock::cli

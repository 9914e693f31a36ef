#include "base/terminal_text.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/utf8.hpp"

namespace cellblock::base {
namespace {

std::string escaped(char kind, std::uint32_t value, int digits) {
  std::string text = {'\\', kind};
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    text.push_back("0123456789abcdef"[value >> shift & 0xf]);
  }
  return text;
}

struct Character {
  std::uint32_t code_point;
  std::size_t length;
};

// The character at the beginning of `text`; nothing if it is no well-formed UTF-8.
std::optional<Character> decode(std::string_view text) {
  const auto byte = [text](std::size_t at) -> std::uint32_t {
    return at < text.size() ? static_cast<std::uint8_t>(text[at]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return Character{first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  std::uint32_t code_point = first & (0xffU >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xc0) != 0x80) return std::nullopt;
    code_point = code_point << 6 | (byte(at) & 0x3f);
  }
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  if (first < 0xc2 || first > 0xf4 || code_point < kLeast.at(length) || code_point > 0x10ffff ||
      surrogate) {
    return std::nullopt;
  }
  return Character{code_point, length};
}

bool reorders(std::uint32_t code_point) {
  return (code_point >= 0x202a && code_point <= 0x202e) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

// Nothing: it may be shown as it is.
std::optional<std::string> replacement(std::uint32_t code_point) {
  if (code_point == '\r') return "\\r";
  if (code_point == '\n' || code_point == '\t') return std::nullopt;
  if (code_point < 0x20 || (code_point >= 0x7f && code_point <= 0x9f)) {
    return escaped('x', code_point, 2);
  }
  if (reorders(code_point)) return escaped('u', code_point, 4);
  return std::nullopt;
}

}  // namespace

std::string TerminalText::feed(std::string_view chunk) {
  std::string text = std::exchange(waiting_, {}).append(chunk);
  std::size_t ready = text.size() - base::incomplete_tail(text);
  if (ready == text.size() && text.ends_with('\r')) --ready;
  waiting_ = text.substr(ready);

  std::string safe;
  safe.reserve(ready);
  for (std::size_t at = 0; at < ready;) {
    const auto rest = std::string_view(text).substr(at, ready - at);
    const auto character = decode(rest);
    if (!character) {
      safe += escaped('x', static_cast<std::uint8_t>(rest[0]), 2);
      ++at;
      continue;
    }
    const bool line_end = rest.starts_with("\r\n");
    if (const auto shown = replacement(character->code_point); shown && !line_end) {
      safe += *shown;
    } else if (!line_end) {
      safe += rest.substr(0, character->length);
    }
    at += character->length;
  }
  return safe;
}

std::string TerminalText::finish() {
  std::string safe;
  for (const char c : std::exchange(waiting_, {})) {
    safe += c == '\r' ? "\\r" : escaped('x', static_cast<std::uint8_t>(c), 2);
  }
  return safe;
}

std::string terminal_safe_text(std::string_view text) {
  TerminalText filter;
  std::string safe = filter.feed(text);
  return safe + filter.finish();
}

std::string terminal_safe_line(std::string_view text) {
  std::string line;
  for (const char c : terminal_safe_text(text)) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace cellblock::base

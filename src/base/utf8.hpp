// UTF-8 from a source that may send anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cellblock::base {

/// The bytes as valid UTF-8; each maximal invalid part becomes U+FFFD (the Unicode Standard's
/// "substitution of maximal subparts").
std::string to_valid_utf8(std::string_view bytes);

/// The number of trailing bytes that are the beginning of a character whose rest may still come
/// (0 to 3).
std::size_t incomplete_tail(std::string_view bytes);

/// Moves a cut to the left until it does not split a character of valid UTF-8.
std::size_t floor_to_character(std::string_view bytes, std::size_t position);
/// The same to the right.
std::size_t ceil_to_character(std::string_view bytes, std::size_t position);

/// Turns chunks that may split characters into chunks that do not.
class Utf8Stream final {
 public:
  /// Valid UTF-8 of everything but a split last character, which waits for the next chunk.
  std::string feed(std::string_view bytes);
  /// What still waits, replaced.
  std::string finish();

 private:
  std::string waiting_;
};

}  // namespace cellblock::base

// The bearer token that every request shows.
#pragma once

#include <string>
#include <string_view>

#include "cellblock/expected.hpp"

namespace cellblock::http {

class Token final {
 public:
  /// 256 bits from the kernel, in hex.
  static Token random();
  /// 16 to 512 characters of A-Z a-z 0-9 - . _ ~ + / and trailing =. Error kind: bad_argument; the
  /// sentence calls it `source` and does not show it.
  static Expected<Token> from_text(std::string_view text, std::string_view source);
  /// The file's only line. The file must belong to this user (or root) and be readable by no other.
  /// Error kind: bad_argument.
  static Expected<Token> from_file(const std::string& path);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Takes as long for one wrong text as for another.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  explicit Token(std::string text);

  std::string text_;
  std::string digest_;
};

}  // namespace cellblock::http

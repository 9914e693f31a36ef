// SHA-256 of a text.
#pragma once

#include <string>
#include <string_view>

namespace cellblock::base {

/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace cellblock::base

// Base64 as JSON texts carry it (RFC 4648, section 4: with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cellblock::base {

std::string base64_encode(std::string_view bytes);
/// Strict: nothing for a wrong length, alphabet or padding.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace cellblock::base

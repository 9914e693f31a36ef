// UTF-8 and the wide characters of libedit (one code point each).
#pragma once

#include <string>
#include <string_view>

namespace cellblock::cli {

/// What is no valid UTF-8 becomes U+FFFD.
std::wstring to_wide(std::string_view text);
std::string to_utf8(std::wstring_view text);

}  // namespace cellblock::cli

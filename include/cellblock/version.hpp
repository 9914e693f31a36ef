// The library's version.
#pragma once

#include <string_view>

namespace cellblock {

/// "major.minor.patch"
std::string_view version();

}  // namespace cellblock

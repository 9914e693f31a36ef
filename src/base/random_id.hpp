// Names that nobody guesses.
#pragma once

#include <string>
#include <string_view>

namespace cellblock::base {

/// `prefix` and 128 random bits in hex, from the kernel.
std::string random_id(std::string_view prefix);

}  // namespace cellblock::base

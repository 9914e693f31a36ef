// What code must be like to be run at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "cellblock/error.hpp"

namespace cellblock {

/// Of one piece of code, in UTF-8. Every call that takes code refuses more: data belongs in files.
inline constexpr std::size_t kMaxCodeBytes = 1U << 20;

/// Why a session will not take the code, in a sentence also for a model; nothing when it will.
/// Error kind: too_large.
std::optional<Error> code_problem(std::string_view code);

}  // namespace cellblock

// Which of the names that are known somebody may have meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cellblock::policy {

/// The one of `known` that is a few letters away or holds the name as a part ("memory" in
/// "max_memory_bytes"); nothing when none is near. Case does not matter.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& known);

}  // namespace cellblock::policy

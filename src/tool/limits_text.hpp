// Numbers of a policy as a model reads them.
#pragma once

#include <chrono>
#include <string>

#include "cellblock/policy.hpp"

namespace cellblock::tool {

/// "30 s", "10 min", "2 h": the largest unit that leaves a whole number.
std::string duration_text(std::chrono::milliseconds duration);
/// "16 KB", "512 MB": of 1024.
std::string size_text(Bytes bytes);
/// Every limit that code meets, in one line: "30 s for each call, 512 MB of memory, …".
std::string limits_text(const SecurityPolicy& policy);

}  // namespace cellblock::tool

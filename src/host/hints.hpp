// One sentence each that a model can act on, for what only the host saw.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cellblock/policy.hpp"

namespace cellblock::host {

/// For example "30 s" or "0.5 s".
std::string format_seconds(std::chrono::milliseconds duration);
/// For example "512 MiB".
std::string format_bytes(Bytes bytes);
std::string timeout_hint(std::string_view code, std::chrono::milliseconds limit);
/// To follow another hint: that a run may ask for more time than it did; empty when it may not.
std::string longer_hint(std::chrono::milliseconds asked, std::chrono::milliseconds allowed);
/// `limit`: the policy's, if there is one.
std::string memory_hint(std::optional<Bytes> limit, Bytes peak);
std::string crash_hint(int signal);

}  // namespace cellblock::host

// One sentence each that a model can act on, for what only the host saw.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace cellblock::host {

/// For example "30 s" or "0.5 s".
std::string format_seconds(std::chrono::milliseconds duration);
std::string timeout_hint(std::string_view code, std::chrono::milliseconds limit);
std::string crash_hint(int signal);

}  // namespace cellblock::host

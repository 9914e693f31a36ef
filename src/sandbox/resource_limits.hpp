// rlimits of a session.
#pragma once

#include <cstdint>

#include "protocol/messages.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// Whether RLIMIT_DATA can be used at all: not with AddressSanitizer, whose shadow counts.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kLimitsMemory = false;
#else
inline constexpr bool kLimitsMemory = true;
#endif
#else
inline constexpr bool kLimitsMemory = true;
#endif

/// VmData of this process in bytes: what RLIMIT_DATA counts. 0 if /proc does not say.
std::uint64_t data_segment_bytes();

/// Hard and soft alike. `base_data_bytes` is what the process has from its zygote; the policy's
/// memory comes on top of it. Core dumps are off. Async-signal-safe.
Failure apply_limits(const protocol::ResourceLimits& limits, std::uint64_t base_data_bytes);

/// Whether the kernel answers with the limits that apply_limits() was given.
bool limits_are_set(const protocol::ResourceLimits& limits, std::uint64_t base_data_bytes);

}  // namespace cellblock::sandbox

// What this process has used so far.
#pragma once

#include <cstdint>

namespace cellblock::base {

/// CPU time of all threads, in microseconds.
std::uint64_t process_cpu_us();

/// The largest resident set so far, in bytes.
std::uint64_t process_max_rss_bytes();

}  // namespace cellblock::base

#include "base/usage.hpp"

#include <sys/resource.h>

#include <ctime>

namespace cellblock::base {

std::uint64_t process_cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec) / 1'000U;
}

std::uint64_t process_max_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1'024U;
}

}  // namespace cellblock::base

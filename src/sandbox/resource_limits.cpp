#include "sandbox/resource_limits.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include "base/unique_fd.hpp"

namespace cellblock::sandbox {
namespace {

struct Limit {
  decltype(RLIMIT_CORE) resource;
  std::optional<std::uint64_t> value;
};

std::array<Limit, 5> limits_of(const protocol::ResourceLimits& limits, std::uint64_t base) {
  std::optional<std::uint64_t> data;
  if (kLimitsMemory && limits.data_bytes) data = base + *limits.data_bytes;
  return {{{RLIMIT_CORE, 0},
           {RLIMIT_DATA, data},
           {RLIMIT_NOFILE, limits.open_files},
           {RLIMIT_FSIZE, limits.file_bytes},
           {RLIMIT_NPROC, limits.tasks}}};
}

}  // namespace

std::uint64_t data_segment_bytes() {
  const base::UniqueFd status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  if (!status || ::read(status.get(), text.data(), text.size() - 1) <= 0) return 0;
  const char* line = std::strstr(text.data(), "\nVmData:");
  return line == nullptr ? 0 : std::strtoull(line + std::strlen("\nVmData:"), nullptr, 10) * 1024;
}

Failure apply_limits(const protocol::ResourceLimits& limits, std::uint64_t base_data_bytes) {
  for (const Limit& limit : limits_of(limits, base_data_bytes)) {
    if (!limit.value) continue;
    rlimit current{};
    if (::getrlimit(limit.resource, &current) != 0) return {"read a resource limit", errno};
    // An unprivileged process cannot raise what it was started with, and need not.
    const rlim_t value = *limit.value < current.rlim_max ? *limit.value : current.rlim_max;
    const rlimit wanted{.rlim_cur = value, .rlim_max = value};
    if (::setrlimit(limit.resource, &wanted) != 0) return {"set a resource limit", errno};
  }
  return {};
}

bool limits_are_set(const protocol::ResourceLimits& limits, std::uint64_t base_data_bytes) {
  for (const Limit& limit : limits_of(limits, base_data_bytes)) {
    rlimit current{};
    if (!limit.value) continue;
    if (::getrlimit(limit.resource, &current) != 0) return false;
    if (current.rlim_max > *limit.value || current.rlim_cur > *limit.value) return false;
  }
  return true;
}

}  // namespace cellblock::sandbox

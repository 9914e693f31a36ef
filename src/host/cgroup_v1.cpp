#include "host/cgroup_v1.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cellblock::host {
namespace {

constexpr std::array kControllers{CgroupController::memory, CgroupController::pids,
                                  CgroupController::cpu, CgroupController::cpuacct};

}  // namespace

CgroupPlaces find_places_v1(const CgroupView& view, const std::string& name,
                            std::vector<std::string>& problems) {
  // Controllers may be mounted together: those share a folder.
  std::vector<std::pair<std::string, std::vector<CgroupController>>> wanted;
  for (const auto controller : kControllers) {
    const auto own = find_own_cgroup(view, to_string(controller));
    if (!own) {
      problems.push_back("no " + std::string(to_string(controller)) + " controller is mounted");
      continue;
    }
    const auto same = std::find_if(wanted.begin(), wanted.end(),
                                   [&](const auto& entry) { return entry.first == own->path; });
    if (same != wanted.end()) {
      same->second.push_back(controller);
    } else {
      wanted.push_back({own->path, {controller}});
    }
  }
  CgroupPlaces places;
  for (const auto& [parent, controllers] : wanted) {
    auto folder = CgroupFolder::create(parent, name);
    if (folder) {
      places.add(*std::move(folder), controllers);
    } else {
      problems.push_back("a group " + folder.error().message);
    }
  }
  return places;
}

Expected<void> SessionCgroupV1::limit(const CgroupLimits& limits) {
  if (limits.memory_bytes) {
    const std::string bytes = std::to_string(*limits.memory_bytes);
    if (auto set = write(CgroupController::memory, "memory.limit_in_bytes", bytes); !set)
      return set;
    // With swap: what is swapped out would not count otherwise. Not every kernel accounts it.
    if (open(CgroupController::memory, "memory.memsw.limit_in_bytes", O_RDONLY)) {
      if (auto set = write(CgroupController::memory, "memory.memsw.limit_in_bytes", bytes); !set) {
        return set;
      }
    }
  }
  if (limits.tasks) {
    if (auto set = write(CgroupController::pids, "pids.max", std::to_string(*limits.tasks)); !set) {
      return set;
    }
  }
  if (!limits.cpus) return {};
  if (auto set = write(CgroupController::cpu, "cpu.cfs_period_us", std::to_string(kCpuPeriodUs));
      !set) {
    return set;
  }
  return write(CgroupController::cpu, "cpu.cfs_quota_us",
               std::to_string(cpu_quota_us(*limits.cpus)));
}

const char* SessionCgroupV1::join_file() const {
  // Not cgroup.procs: to move a whole process the kernel stops all forks and exits of the machine
  // for a grace period, ten milliseconds and more. A lone thread that moves itself needs none.
  return "tasks";
}

void SessionCgroupV1::open_counters() {
  oom_control_ = open(CgroupController::memory, "memory.oom_control", O_RDONLY);
  peak_ = open(CgroupController::memory, "memory.max_usage_in_bytes", O_RDWR);
}

std::optional<std::uint64_t> SessionCgroupV1::oom_kills() const {
  const auto text = read_again(oom_control_);
  return text ? value_of(*text, "oom_kill") : std::nullopt;
}

std::optional<Bytes> SessionCgroupV1::peak_memory_bytes() const {
  const auto text = read_again(peak_);
  return text ? to_number(*text) : std::nullopt;
}

std::optional<std::chrono::microseconds> SessionCgroupV1::cpu_time() const {
  const auto text = read(CgroupController::cpuacct, "cpuacct.usage");
  const auto nanoseconds = text ? to_number(*text) : std::nullopt;
  if (!nanoseconds) return std::nullopt;
  return std::chrono::microseconds(*nanoseconds / 1'000);
}

std::optional<std::uint64_t> SessionCgroupV1::memory_failures() const {
  const auto text = read(CgroupController::memory, "memory.failcnt");
  return text ? to_number(*text) : std::nullopt;
}

void SessionCgroupV1::restart_peak() {
  // A refusal leaves the peak since the start, which is what it is then told as.
  if (peak_) static_cast<void>(::pwrite(peak_.get(), "0", 1, 0));
}

}  // namespace cellblock::host

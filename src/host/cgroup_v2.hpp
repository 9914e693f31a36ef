// Control groups of version 2: one hierarchy, of which a part was delegated to this program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/cgroup_files.hpp"
#include "host/session_cgroup.hpp"

namespace cellblock::host {

/// The executor's folder below a group that was delegated to this program: its own, or, since a
/// group that hands controllers down may hold no processes itself, the one right above it, when
/// that was delegated. No process of the host is moved for it. Without memory, pids or cpu there:
/// no folder, and `problems` says why.
CgroupPlaces find_places_v2(const CgroupView& view, const std::string& name,
                            std::vector<std::string>& problems);

class SessionCgroupV2 final : public SessionCgroup {
 public:
  using SessionCgroup::SessionCgroup;

  [[nodiscard]] std::optional<std::uint64_t> oom_kills() const override;
  [[nodiscard]] std::optional<Bytes> peak_memory_bytes() const override;
  [[nodiscard]] std::optional<std::chrono::microseconds> cpu_time() const override;
  [[nodiscard]] std::optional<std::uint64_t> memory_failures() const override;
  void restart_peak() override;

 private:
  Expected<void> limit(const CgroupLimits& limits) override;
  [[nodiscard]] const char* join_file() const override;
  void open_counters() override;

  base::UniqueFd memory_events_;
  base::UniqueFd peak_;
};

}  // namespace cellblock::host

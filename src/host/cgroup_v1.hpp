// Control groups of version 1: a hierarchy for each controller, made by who may (root, as a rule).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/cgroup_files.hpp"
#include "host/session_cgroup.hpp"

namespace cellblock::host {

/// The executor's folder in each v1 hierarchy where one can be made, below this process's own
/// group there. Where none can, `problems` says why.
CgroupPlaces find_places_v1(const CgroupView& view, const std::string& name,
                            std::vector<std::string>& problems);

class SessionCgroupV1 final : public SessionCgroup {
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

  base::UniqueFd oom_control_;
  base::UniqueFd peak_;
};

}  // namespace cellblock::host

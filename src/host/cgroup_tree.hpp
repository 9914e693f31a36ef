// The control groups of one executor, whichever version this machine offers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cellblock/expected.hpp"
#include "host/cgroup_files.hpp"
#include "host/session_cgroup.hpp"

namespace cellblock::host {

/// Thread-safe. What is offered is found by trying, never deduced from who we are.
class CgroupTree final {
 public:
  /// v2 where a part of it was delegated, else v1. `name` is the executor's. Error kind:
  /// isolation_unavailable, with the reasons and the remedy.
  static Expected<std::unique_ptr<CgroupTree>> create(const CgroupView& view,
                                                      const std::string& name);

  /// A new group with a name that no other has. Error kind: host_error.
  Expected<std::shared_ptr<SessionCgroup>> make();
  /// Removes what executors that died left behind. False: try again later.
  [[nodiscard]] bool remove_abandoned() const;

  /// For example "v1: memory, pids, cpu", and what the groups do not hold.
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  enum class Version { v1, v2 };
  CgroupTree(Version version, CgroupPlaces places, const std::vector<std::string>& problems);

  Version version_;
  std::shared_ptr<const CgroupPlaces> places_;
  std::string description_;
  std::atomic<std::uint64_t> next_name_{1};
};

}  // namespace cellblock::host

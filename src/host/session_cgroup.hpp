// The control group of one cage: its limits, its counters, who is in it.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/policy.hpp"
#include "host/cgroup_folder.hpp"

namespace cellblock::host {

/// What a group is asked to hold. Nothing: no limit.
struct CgroupLimits {
  std::optional<Bytes> memory_bytes;
  std::optional<std::uint64_t> tasks;
  std::optional<double> cpus;
};

/// `tmpfs_bytes`: what the session may keep in file systems whose pages count as its memory.
CgroupLimits cgroup_limits(const SecurityPolicy& policy, Bytes tmpfs_bytes);

/// The quota of each period for a share of cores; never below the kernel's minimum.
inline constexpr std::uint64_t kCpuPeriodUs = 100'000;
std::uint64_t cpu_quota_us(double cpus);

enum class CgroupController { memory, pids, cpu, cpuacct };
std::string_view to_string(CgroupController controller);

/// Where an executor's groups are: a folder for each hierarchy, and which of them holds which
/// controller. In v2 there is one folder for all.
class CgroupPlaces final {
 public:
  void add(CgroupFolder folder, const std::vector<CgroupController>& controllers);

  [[nodiscard]] const CgroupFolder* find(CgroupController controller) const;
  [[nodiscard]] const std::vector<CgroupFolder>& folders() const { return folders_; }

 private:
  static constexpr std::size_t kControllers = 4;
  std::vector<CgroupFolder> folders_;
  std::array<std::optional<std::size_t>, kControllers> place_of_;
};

/// Made empty and without limits. Not thread-safe but for the counters. The object's end does not
/// remove the group: CgroupPool does, when the processes are gone.
class SessionCgroup {
 public:
  SessionCgroup(std::shared_ptr<const CgroupPlaces> places, std::string name)
      : places_(std::move(places)), name_(std::move(name)) {}
  virtual ~SessionCgroup() = default;
  SessionCgroup(const SessionCgroup&) = delete;
  SessionCgroup& operator=(const SessionCgroup&) = delete;

  /// Its folders, without a descriptor of its own. Error kind: host_error.
  Expected<void> make();
  /// Opens what counts and sets the limits: what has no controller here is left out, and
  /// CgroupTree tells it. Error kind: host_error.
  Expected<void> prepare(const CgroupLimits& limits);

  /// One file for each hierarchy: a process of one thread that writes "0" there joins, with the
  /// rights of who opened it and with no number of a pid namespace in it. Thread-safe. Error kind:
  /// host_error.
  [[nodiscard]] Expected<std::vector<base::UniqueFd>> open_join() const;
  /// Whether in every hierarchy the process of this number is in it.
  [[nodiscard]] bool holds(pid_t process) const;

  // Several sessions may be in it. Thread-safe.
  void set_shared() { shared_ = true; }
  [[nodiscard]] bool is_shared() const { return shared_; }
  /// Whether the kernel has killed for memory since the counter was `before`, and no other session
  /// has claimed that kill.
  [[nodiscard]] bool claim_oom_kill(std::uint64_t before);

  /// Since the group was made. Nothing: no such counter here.
  [[nodiscard]] virtual std::optional<std::uint64_t> oom_kills() const = 0;
  [[nodiscard]] virtual std::optional<Bytes> peak_memory_bytes() const = 0;
  [[nodiscard]] virtual std::optional<std::chrono::microseconds> cpu_time() const = 0;
  /// How often a limit was met: allocations past the memory limit (before and beside any kill),
  /// refused tasks, throttled periods.
  [[nodiscard]] virtual std::optional<std::uint64_t> memory_failures() const = 0;
  [[nodiscard]] std::optional<std::uint64_t> refused_tasks() const;
  [[nodiscard]] std::optional<std::uint64_t> throttled_periods() const;
  /// The peak counts from now on, where the kernel can do that.
  virtual void restart_peak() = 0;

  /// 0 or errno: EBUSY while a process is in it.
  [[nodiscard]] int remove() const;
  [[nodiscard]] const std::string& name() const { return name_; }

 protected:
  virtual Expected<void> limit(const CgroupLimits& limits) = 0;
  /// The file's name.
  [[nodiscard]] virtual const char* join_file() const = 0;
  /// What is read for every execution.
  virtual void open_counters() = 0;
  [[nodiscard]] base::UniqueFd open(CgroupController controller, const char* file, int flags) const;
  [[nodiscard]] std::optional<std::string> read(CgroupController controller,
                                                const char* file) const;
  Expected<void> write(CgroupController controller, const char* file,
                       const std::string& text) const;
  [[nodiscard]] bool has(CgroupController controller) const {
    return places_->find(controller) != nullptr;
  }
  /// A kept descriptor, from its start.
  static std::optional<std::string> read_again(const base::UniqueFd& file);

 private:
  std::shared_ptr<const CgroupPlaces> places_;
  std::string name_;
  std::atomic<bool> shared_ = false;
  std::atomic<std::uint64_t> claimed_oom_kills_ = 0;
};

}  // namespace cellblock::host

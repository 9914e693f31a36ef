#include "host/session_cgroup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/cgroup_files.hpp"

namespace cellblock::host {
namespace {

// What a session touches of its zygote's pages before any user code, and what the kernel keeps for
// it, such as page tables. It stands beside the policy's memory, so that RLIMIT_DATA, which does
// not count it, is met first: a MemoryError is better than a kill.
constexpr Bytes kOwnBytes = 16ULL << 20;

// The cage's init does not join: it belongs to the machinery, and is there before the session is.
constexpr std::uint64_t kMainTask = 1;

// The kernel refuses less.
constexpr std::uint64_t kLeastQuotaUs = 1'000;

}  // namespace

CgroupLimits cgroup_limits(const SecurityPolicy& policy, Bytes tmpfs_bytes) {
  CgroupLimits limits;
  if (policy.max_memory_bytes) {
    limits.memory_bytes = *policy.max_memory_bytes + tmpfs_bytes + kOwnBytes;
  }
  if (policy.max_threads && policy.max_processes) {
    limits.tasks = kMainTask + *policy.max_threads + *policy.max_processes;
  }
  limits.cpus = policy.max_cpus;
  return limits;
}

std::uint64_t cpu_quota_us(double cpus) {
  return std::max(kLeastQuotaUs,
                  static_cast<std::uint64_t>(cpus * static_cast<double>(kCpuPeriodUs)));
}

std::string_view to_string(CgroupController controller) {
  constexpr std::array<std::string_view, 4> kNames{"memory", "pids", "cpu", "cpuacct"};
  return kNames.at(static_cast<std::size_t>(controller));
}

void CgroupPlaces::add(CgroupFolder folder, const std::vector<CgroupController>& controllers) {
  for (const auto controller : controllers) {
    place_of_.at(static_cast<std::size_t>(controller)) = folders_.size();
  }
  folders_.push_back(std::move(folder));
}

const CgroupFolder* CgroupPlaces::find(CgroupController controller) const {
  const auto place = place_of_.at(static_cast<std::size_t>(controller));
  return place ? &folders_[*place] : nullptr;
}

Expected<void> SessionCgroup::make() {
  for (const CgroupFolder& folder : places_->folders()) {
    const int error = folder.make(name_);
    if (error == 0) continue;
    static_cast<void>(remove());  // what was made is empty
    return Error{ErrorKind::host_error, "No control group can be made in " + folder.path() + " (" +
                                            std::strerror(error) +
                                            "): close sessions, or raise what limits it."};
  }
  return {};
}

Expected<void> SessionCgroup::prepare(const CgroupLimits& limits) {
  open_counters();
  return limit(limits);
}

Expected<std::vector<base::UniqueFd>> SessionCgroup::open_join() const {
  std::vector<base::UniqueFd> files;
  for (const CgroupFolder& folder : places_->folders()) {
    files.emplace_back(
        ::openat(folder.fd(), (name_ + "/" + join_file()).c_str(), O_WRONLY | O_CLOEXEC));
    if (files.back()) continue;
    return Error{ErrorKind::host_error, "The control group " + folder.path() + "/" + name_ +
                                            " cannot be opened (" + std::strerror(errno) +
                                            "): raise the limit on open files or close sessions."};
  }
  return files;
}

bool SessionCgroup::holds(pid_t process) const {
  const auto& folders = places_->folders();
  const std::string line = "\n" + std::to_string(process) + "\n";
  return std::all_of(folders.begin(), folders.end(), [&](const CgroupFolder& folder) {
    const auto processes = read_text(folder.fd(), name_ + "/cgroup.procs");
    return processes && ("\n" + *processes).find(line) != std::string::npos;
  });
}

bool SessionCgroup::claim_oom_kill(std::uint64_t before) {
  const std::uint64_t kills = oom_kills().value_or(0);
  std::uint64_t claimed = claimed_oom_kills_;
  do {
    if (kills <= before || kills <= claimed) return false;
  } while (!claimed_oom_kills_.compare_exchange_weak(claimed, claimed + 1));
  return true;
}

std::optional<std::uint64_t> SessionCgroup::refused_tasks() const {
  const auto events = read(CgroupController::pids, "pids.events");
  return events ? value_of(*events, "max") : std::nullopt;
}

std::optional<std::uint64_t> SessionCgroup::throttled_periods() const {
  const auto stat = read(CgroupController::cpu, "cpu.stat");
  return stat ? value_of(*stat, "nr_throttled") : std::nullopt;
}

int SessionCgroup::remove() const {
  int error = 0;
  for (const CgroupFolder& folder : places_->folders()) {
    if (const int failed = folder.remove(name_); failed != 0) error = failed;
  }
  return error;
}

base::UniqueFd SessionCgroup::open(CgroupController controller, const char* file, int flags) const {
  const CgroupFolder* const folder = places_->find(controller);
  if (folder == nullptr) return {};
  return base::UniqueFd(::openat(folder->fd(), (name_ + "/" + file).c_str(), flags | O_CLOEXEC));
}

std::optional<std::string> SessionCgroup::read(CgroupController controller,
                                               const char* file) const {
  const CgroupFolder* const folder = places_->find(controller);
  return folder == nullptr ? std::nullopt : read_text(folder->fd(), name_ + "/" + file);
}

Expected<void> SessionCgroup::write(CgroupController controller, const char* file,
                                    const std::string& text) const {
  const CgroupFolder* const folder = places_->find(controller);
  if (folder == nullptr || write_text(folder->fd(), name_ + "/" + file, text)) return {};
  return Error{ErrorKind::host_error,
               "The control group's " + std::string(file) + " cannot be set to " + text + " (" +
                   std::strerror(errno) + "): give the policy a limit that this machine takes."};
}

std::optional<std::string> SessionCgroup::read_again(const base::UniqueFd& file) {
  std::array<char, 1024> text;  // NOLINT: filled by pread
  const ssize_t got = file ? ::pread(file.get(), text.data(), text.size(), 0) : -1;
  if (got < 0) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(got));
}

}  // namespace cellblock::host

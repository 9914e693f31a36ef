#include "host/session_cgroup.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "host/cgroup_tree.hpp"
#include "host/cgroup_v1.hpp"
#include "host/cgroup_v2.hpp"
#include "host/runtime_folder.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using namespace cellblock::host;
using Catch::Matchers::ContainsSubstring;
using cellblock::test::read_file;
using cellblock::test::ScratchFolder;
using cellblock::test::write_file;

namespace {

constexpr Bytes kMebibyte = 1ULL << 20;
const CgroupLimits kLimits{.memory_bytes = kMebibyte, .tasks = 9, .cpus = 0.5};

/// A group in a plain folder with the files that a kernel would have put there.
template <class Group>
class FakeGroup final {
 public:
  explicit FakeGroup(const std::map<std::string, std::string>& files)
      : places_(std::make_shared<CgroupPlaces>()) {
    auto folder = CgroupFolder::create(scratch_.path(), executor_prefix() + "a");
    REQUIRE(folder);
    folder_ = folder->path() + "/session-1/";
    places_->add(*std::move(folder), {CgroupController::memory, CgroupController::pids,
                                      CgroupController::cpu, CgroupController::cpuacct});
    group_ = std::make_unique<Group>(places_, "session-1");
    REQUIRE(group_->make());
    for (const auto& [name, text] : files) write_file(folder_ + name, text);
  }

  Group* operator->() { return group_.get(); }
  [[nodiscard]] std::string read(const std::string& name) const {
    return read_file(folder_ + name);
  }
  void write(const std::string& name, const std::string& text) { write_file(folder_ + name, text); }

 private:
  ScratchFolder scratch_;
  std::shared_ptr<CgroupPlaces> places_;
  std::string folder_;
  std::unique_ptr<Group> group_;
};

}  // namespace

TEST_CASE("A group's memory is the policy's, its file systems' and what a session needs itself") {
  SecurityPolicy policy;
  policy.max_memory_bytes = 100ULL << 20;
  const auto bare = cgroup_limits(policy, 0);
  REQUIRE(bare.memory_bytes);
  CHECK(*bare.memory_bytes >= 104ULL << 20);
  CHECK(*bare.memory_bytes <= 132ULL << 20);
  CHECK(*cgroup_limits(policy, 7ULL << 20).memory_bytes == *bare.memory_bytes + (7ULL << 20));
}

TEST_CASE("A group's tasks are the main one, the threads and the processes") {
  SecurityPolicy policy;
  policy.max_threads = 8;
  policy.max_processes = 3;
  CHECK(cgroup_limits(policy, 0).tasks == 12U);
  policy.max_threads = 0;
  policy.max_processes = 0;
  CHECK(cgroup_limits(policy, 0).tasks == 1U);
}

TEST_CASE("What the policy does not limit its group does not") {
  SecurityPolicy policy;
  policy.max_memory_bytes.reset();
  policy.max_cpus.reset();
  policy.max_processes.reset();
  const auto limits = cgroup_limits(policy, 1ULL << 20);
  CHECK_FALSE(limits.memory_bytes);
  CHECK_FALSE(limits.cpus);
  CHECK_FALSE(limits.tasks);
}

TEST_CASE("A share of cores is a quota of the period that the kernel takes") {
  CHECK(cpu_quota_us(1) == kCpuPeriodUs);
  CHECK(cpu_quota_us(0.5) == kCpuPeriodUs / 2);
  CHECK(cpu_quota_us(4) == kCpuPeriodUs * 4);
  CHECK(cpu_quota_us(0.0001) == 1'000);
}

TEST_CASE("Where there are no groups the reasons and the remedy are told") {
  const auto tree = CgroupTree::create({}, "cellblock-0-test");
  REQUIRE_FALSE(tree);
  CHECK(tree.error().kind == ErrorKind::isolation_unavailable);
  CHECK_THAT(tree.error().message, ContainsSubstring("cgroup v2 is not mounted"));
  CHECK_THAT(tree.error().message, ContainsSubstring("no memory controller is mounted"));
  CHECK_THAT(tree.error().message, ContainsSubstring("max_cpus is not enforced"));
  CHECK_THAT(tree.error().message, ContainsSubstring("Delegate=yes"));
}

TEST_CASE("Limits and counters of v1 are in its files") {
  FakeGroup<SessionCgroupV1> group({{"tasks", ""},
                                    {"cgroup.procs", "17\n"},
                                    {"memory.limit_in_bytes", ""},
                                    {"memory.memsw.limit_in_bytes", ""},
                                    {"memory.max_usage_in_bytes", "4096\n"},
                                    {"memory.failcnt", "3\n"},
                                    {"memory.oom_control", "under_oom 0\noom_kill 2\n"},
                                    {"pids.max", ""},
                                    {"pids.events", "max 5\n"},
                                    {"cpu.cfs_period_us", ""},
                                    {"cpu.cfs_quota_us", ""},
                                    {"cpu.stat", "nr_periods 9\nnr_throttled 4\n"},
                                    {"cpuacct.usage", "1500000\n"}});
  REQUIRE(group->prepare(kLimits));
  CHECK(group.read("memory.limit_in_bytes") == "1048576");
  CHECK(group.read("memory.memsw.limit_in_bytes") == "1048576");
  CHECK(group.read("pids.max") == "9");
  CHECK(group.read("cpu.cfs_period_us") == "100000");
  CHECK(group.read("cpu.cfs_quota_us") == "50000");
  CHECK(group->open_join()->size() == 1);
  CHECK(group->holds(17));
  CHECK_FALSE(group->holds(7));
  CHECK_FALSE(group->holds(1));
  CHECK(group->oom_kills() == 2U);
  CHECK(group->memory_failures() == 3U);
  CHECK(group->peak_memory_bytes() == 4096U);
  CHECK(group->refused_tasks() == 5U);
  CHECK(group->throttled_periods() == 4U);
  CHECK(group->cpu_time() == std::chrono::microseconds(1500));
  group->restart_peak();
  CHECK(group.read("memory.max_usage_in_bytes").front() == '0');
}

TEST_CASE("Limits and counters of v2 are in its files") {
  FakeGroup<SessionCgroupV2> group(
      {{"cgroup.procs", ""},
       {"memory.max", ""},
       {"memory.swap.max", ""},
       {"memory.peak", "4096\n"},
       {"memory.events", "low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\n"},
       {"pids.max", ""},
       {"pids.events", "max 5\n"},
       {"cpu.max", ""},
       {"cpu.stat", "usage_usec 1500\nnr_periods 9\nnr_throttled 4\n"}});
  REQUIRE(group->prepare(kLimits));
  CHECK(group.read("memory.max") == "1048576");
  CHECK(group.read("memory.swap.max") == "0");
  CHECK(group.read("pids.max") == "9");
  CHECK(group.read("cpu.max") == "50000 100000");
  CHECK(group->open_join()->size() == 1);
  CHECK_FALSE(group->holds(17));
  CHECK(group->oom_kills() == 1U);
  CHECK(group->memory_failures() == 3U);
  CHECK(group->peak_memory_bytes() == 4096U);
  CHECK(group->refused_tasks() == 5U);
  CHECK(group->throttled_periods() == 4U);
  CHECK(group->cpu_time() == std::chrono::microseconds(1500));
  // A counter is read anew each time.
  group.write("memory.events", "oom_kill 6\n");
  CHECK(group->oom_kills() == 6U);
}

TEST_CASE("A kill for memory is one session's, however many share the group") {
  FakeGroup<SessionCgroupV2> group({{"cgroup.procs", ""},
                                    {"memory.max", ""},
                                    {"memory.events", "oom_kill 0\n"},
                                    {"pids.max", ""},
                                    {"cpu.max", ""}});
  REQUIRE(group->prepare(kLimits));
  CHECK_FALSE(group->claim_oom_kill(0));
  group.write("memory.events", "oom_kill 1\n");
  CHECK_FALSE(group->claim_oom_kill(1));
  CHECK(group->claim_oom_kill(0));
  CHECK_FALSE(group->claim_oom_kill(0));
  group.write("memory.events", "oom_kill 3\n");
  CHECK(group->claim_oom_kill(1));
  CHECK(group->claim_oom_kill(1));
  CHECK_FALSE(group->claim_oom_kill(1));
}

TEST_CASE("A group that cannot take a limit is an error that names it") {
  FakeGroup<SessionCgroupV2> group({{"cgroup.procs", ""}, {"memory.max", ""}});
  const auto prepared = group->prepare(kLimits);
  REQUIRE_FALSE(prepared);
  CHECK_THAT(prepared.error().message, ContainsSubstring("pids.max cannot be set to 9"));
  // Swap is not accounted there, which is no error.
  CHECK(group.read("memory.max") == "1048576");
}

TEST_CASE("A group without limits is left as the kernel made it") {
  FakeGroup<SessionCgroupV1> group({{"tasks", ""}, {"cgroup.procs", "1\n2\n"}});
  CHECK(group->prepare({}));
  CHECK(group->holds(1));
  CHECK(group->holds(2));
  CHECK_FALSE(group->holds(12));
  CHECK_FALSE(group->oom_kills());
  CHECK_FALSE(group->peak_memory_bytes());
  CHECK_FALSE(group->cpu_time());
}

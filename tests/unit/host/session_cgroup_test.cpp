#include "host/session_cgroup.hpp"

#include "host/cgroup_tree.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::host;
using Catch::Matchers::ContainsSubstring;

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

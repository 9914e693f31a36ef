#include "host/cgroup_files.hpp"

#include "support/catch.hpp"

using namespace cellblock::host;

namespace {

constexpr const char* kV1Groups =
    "9:name=systemd:/user.slice\n"
    "8:pids:/\n"
    "4:memory:/outer/inner\n"
    "2:cpu,cpuacct:/outer\n"
    "0::/user.slice/session-1.scope\n";

constexpr const char* kV1Mounts =
    "22 1 254:0 / / rw - ext4 /dev/vda rw\n"
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 /outer /sys/fs/cgroup/my\\040memory rw,relatime - cgroup cgroup rw,memory\n"
    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n";

CgroupView v1_view() {
  return {.own = parse_own_cgroups(kV1Groups), .mounts = parse_cgroup_mounts(kV1Mounts)};
}

std::string folder_of(const CgroupView& view, const char* controller) {
  const auto found = find_own_cgroup(view, controller);
  return found ? found->path : "none";
}

}  // namespace

TEST_CASE("The groups of a process are read line by line") {
  const auto groups = parse_own_cgroups(kV1Groups);
  REQUIRE(groups.size() == 5);
  CHECK(groups[2].controllers == "memory");
  CHECK(groups[2].path == "/outer/inner");
  CHECK(groups[4].controllers.empty());
  CHECK(groups[4].path == "/user.slice/session-1.scope");
  CHECK(parse_own_cgroups("").empty());
  CHECK(parse_own_cgroups("nonsense\n3\n::\n").empty());
  CHECK(parse_own_cgroups("0::/with:colon\n").front().path == "/with:colon");
}

TEST_CASE("Of the mounts only hierarchies of groups count") {
  const auto mounts = parse_cgroup_mounts(kV1Mounts);
  REQUIRE(mounts.size() == 4);
  CHECK(mounts[0].version == CgroupMount::Version::v1);
  CHECK(mounts[0].controllers == "rw,cpu,cpuacct");
  CHECK(mounts[1].root == "/outer");
  CHECK(mounts[1].point == "/sys/fs/cgroup/my memory");
  CHECK(mounts[3].version == CgroupMount::Version::v2);
  CHECK(mounts[3].controllers.empty());
  CHECK(parse_cgroup_mounts("a b c\n - cgroup\n").size() <= 1);
}

TEST_CASE("A process's own group is found below its hierarchy's mount") {
  const auto view = v1_view();
  CHECK(folder_of(view, "pids") == "/sys/fs/cgroup/pids");
  CHECK(folder_of(view, "cpu") == "/sys/fs/cgroup/cpu,cpuacct/outer");
  CHECK(folder_of(view, "cpuacct") == "/sys/fs/cgroup/cpu,cpuacct/outer");
  CHECK(folder_of(view, "memory") == "/sys/fs/cgroup/my memory/inner");
  CHECK(folder_of(view, "") == "/sys/fs/cgroup/unified/user.slice/session-1.scope");
  CHECK(find_own_cgroup(view, "")->mount_point == "/sys/fs/cgroup/unified");
  CHECK(folder_of(view, "freezer") == "none");
}

TEST_CASE("A group outside of what is mounted is not found") {
  const CgroupView view{
      .own = parse_own_cgroups("4:memory:/elsewhere\n0::/outermost\n"),
      .mounts = parse_cgroup_mounts("35 31 0:32 /outer /m rw - cgroup cgroup rw,memory\n"
                                    "36 31 0:33 /outer /u rw - cgroup2 cgroup2 rw\n")};
  CHECK(folder_of(view, "memory") == "none");
  CHECK(folder_of(view, "") == "none");
}

TEST_CASE("A counter is found by its whole name") {
  constexpr const char* kEvents = "low 0\nmax 17\noom 2\noom_kill 1\n";
  CHECK(value_of(kEvents, "max") == 17U);
  CHECK(value_of(kEvents, "oom") == 2U);
  CHECK(value_of(kEvents, "oom_kill") == 1U);
  CHECK_FALSE(value_of(kEvents, "oom_"));
  CHECK_FALSE(value_of("", "max"));
  CHECK_FALSE(value_of("max\nmax x\n", "max"));
  CHECK(to_number("9223372036854771712\n") == 9223372036854771712ULL);
  CHECK_FALSE(to_number("max\n"));
  CHECK_FALSE(to_number("1 2\n"));
  CHECK_FALSE(to_number(""));
}

TEST_CASE("A word of a list is a whole one") {
  CHECK(has_word("rw,cpu,cpuacct", "cpu"));
  CHECK(has_word("cpuset cpu io memory\n", "memory"));
  CHECK_FALSE(has_word("cpuset,cpuacct", "cpu"));
  CHECK_FALSE(has_word("", "cpu"));
}

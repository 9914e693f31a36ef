// On plain folders: what matters here is the same for them.
#include "host/cgroup_folder.hpp"

#include <cerrno>
#include <filesystem>
#include <optional>

#include "host/runtime_folder.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using namespace cellblock::host;
using cellblock::test::ScratchFolder;
namespace fs = std::filesystem;

TEST_CASE("An executor's group ends with its owner, and with it those of its sessions") {
  const ScratchFolder scratch;
  {
    const auto folder = CgroupFolder::create(scratch.path(), executor_prefix() + "a");
    REQUIRE(folder);
    CHECK(folder->path() == scratch / (executor_prefix() + "a"));
    CHECK(folder->parent() == scratch.path());
    CHECK(folder->make("session-1") == 0);
    CHECK(folder->make("session-1") == EEXIST);
    CHECK(fs::is_directory(folder->path() + "/session-1"));
    CHECK(folder->make("session-2") == 0);
    CHECK(folder->remove("session-2") == 0);
    CHECK(folder->remove("session-2") == 0);
  }
  CHECK(fs::is_empty(scratch.path()));
}

TEST_CASE("A group that is still in use is told and left") {
  const ScratchFolder scratch;
  const auto folder = CgroupFolder::create(scratch.path(), executor_prefix() + "a");
  REQUIRE(folder);
  REQUIRE(folder->make("session-1") == 0);
  fs::create_directory(folder->path() + "/session-1/inner");
  CHECK(folder->remove("session-1") == ENOTEMPTY);
}

TEST_CASE("Groups of dead executors are removed, those of living ones and of others are not") {
  const ScratchFolder scratch;
  const std::string dead = scratch / (executor_prefix() + "dead");
  fs::create_directories(dead + "/session-1");
  fs::create_directories(dead + "/session-2");
  fs::create_directory(scratch / "cellblock-notes");
  fs::create_directory(scratch / "user.slice");
  fs::create_directory(scratch / "target");
  fs::create_directory_symlink(scratch / "target", scratch / (executor_prefix() + "link"));
  const auto alive = CgroupFolder::create(scratch.path(), executor_prefix() + "alive");
  REQUIRE(alive);
  REQUIRE(alive->make("session-1") == 0);

  CHECK(remove_abandoned_cgroups(scratch.path()));
  CHECK_FALSE(fs::exists(dead));
  CHECK(fs::exists(alive->path() + "/session-1"));
  CHECK(fs::exists(scratch / "cellblock-notes"));
  CHECK(fs::exists(scratch / "user.slice"));
  CHECK(fs::exists(scratch / "target"));
}

TEST_CASE("A dead executor's group in which something lives is to be tried again") {
  const ScratchFolder scratch;
  const std::string living = scratch / (executor_prefix() + "dead/session-1/inner");
  fs::create_directories(living);
  CHECK_FALSE(remove_abandoned_cgroups(scratch.path()));
  fs::remove(living);
  CHECK(remove_abandoned_cgroups(scratch.path()));
  CHECK_FALSE(fs::exists(scratch / (executor_prefix() + "dead")));
}

TEST_CASE("Two owners of one group at a time are refused") {
  const ScratchFolder scratch;
  const auto first = CgroupFolder::create(scratch.path(), executor_prefix() + "a");
  REQUIRE(first);
  const auto second = CgroupFolder::create(scratch.path(), executor_prefix() + "a");
  REQUIRE_FALSE(second);
  CHECK(second.error().message ==
        "cannot be made in " + scratch.path() + " (Device or resource busy)");
}

TEST_CASE("Where no group can be made the reason is told") {
  const ScratchFolder scratch;
  const auto folder = CgroupFolder::create(scratch / "absent", executor_prefix() + "a");
  REQUIRE_FALSE(folder);
  CHECK(folder.error().kind == ErrorKind::host_error);
  CHECK(folder.error().message ==
        "cannot be made in " + (scratch / "absent") + " (No such file or directory)");
}

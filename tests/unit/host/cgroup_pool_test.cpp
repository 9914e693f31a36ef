// On plain folders in the place of hierarchies: groups are made and removed as folders are, but
// there is nothing in them to join.
#include "host/cgroup_pool.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include "host/cgroup_v2.hpp"
#include "host/runtime_folder.hpp"
#include "support/catch.hpp"
#include "support/cgroups.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::host;
using Catch::Matchers::ContainsSubstring;
using cellblock::test::folders_in;
using cellblock::test::ScratchFolder;
using cellblock::test::wait_until;
namespace fs = std::filesystem;

namespace {

/// Two hierarchies of v1: memory and pids.
class Hierarchies final {
 public:
  Hierarchies() {
    for (const char* controller : {"memory", "pids"}) {
      const std::string folder = scratch_ / controller;
      fs::create_directories(folder + "/own");
      view_.own.push_back({.controllers = controller, .path = "/own"});
      view_.mounts.push_back({.version = CgroupMount::Version::v1,
                              .controllers = controller,
                              .root = "/",
                              .point = folder});
    }
  }

  [[nodiscard]] const CgroupView& view() const { return view_; }
  [[nodiscard]] std::string own(const std::string& controller) const {
    return scratch_ / (controller + "/own");
  }

 private:
  ScratchFolder scratch_;
  CgroupView view_;
};

std::string name(const std::string& rest) { return executor_prefix() + rest; }

/// The kernel's files are not there to take it.
constexpr CgroupLimits kImpossible{.memory_bytes = 1ULL << 20, .tasks = {}, .cpus = {}};

}  // namespace

TEST_CASE("Groups are made ahead, and the pool's end leaves nothing") {
  const Hierarchies hierarchies;
  {
    const CgroupPool pool(hierarchies.view(), name("a"));
    for (const char* controller : {"memory", "pids"}) {
      const std::string folder = hierarchies.own(controller) + "/" + name("a");
      CHECK(wait_until([&] { return folders_in(folder).size() == 4; }));
    }
  }
  CHECK(fs::is_empty(hierarchies.own("memory")));
  CHECK(fs::is_empty(hierarchies.own("pids")));
}

TEST_CASE("The report names what is held and what is not") {
  const Hierarchies hierarchies;
  const CgroupPool pool(hierarchies.view(), name("a"));
  const Layer layer = pool.layer(nullptr, 1);
  CHECK_FALSE(layer.on);
  CHECK(layer.detail == "not asked for");

  const auto tree = CgroupTree::create(hierarchies.view(), name("b"));
  REQUIRE(tree);
  CHECK_THAT((*tree)->description(), Catch::Matchers::StartsWith("v1: memory, pids; not enforced: "
                                                                 "max_cpus (no cpu controller"));
}

TEST_CASE("A group that cannot be used is an error that says what to do, and is not left") {
  const Hierarchies hierarchies;
  CgroupPool pool(hierarchies.view(), name("a"));
  const std::string folder = hierarchies.own("memory") + "/" + name("a");
  for (int i = 0; i < 20; ++i) {
    const auto taken = pool.take(kImpossible);
    REQUIRE_FALSE(taken);
    CHECK(taken.error().kind == ErrorKind::host_error);
    CHECK_THAT(taken.error().message, ContainsSubstring("cannot be set to 1048576 (No such file"));
    CHECK_THAT(taken.error().message, ContainsSubstring("a limit that this machine takes"));
  }
  CHECK(wait_until([&] { return folders_in(folder).size() == 4; }));
}

TEST_CASE("A group that cannot be joined is an error that says what to do") {
  const Hierarchies hierarchies;
  CgroupPool pool(hierarchies.view(), name("a"));
  const auto group = pool.take({});
  REQUIRE(group);
  const auto joins = (*group)->open_join();
  REQUIRE_FALSE(joins);
  CHECK(joins.error().kind == ErrorKind::host_error);
  CHECK_THAT(joins.error().message, ContainsSubstring("cannot be opened (No such file"));
  CHECK_THAT(joins.error().message, ContainsSubstring("close sessions"));
  pool.give_back(*group);
}

TEST_CASE("Where no more groups can be made opening is refused with what to do") {
  const Hierarchies hierarchies;
  const auto tree = CgroupTree::create(hierarchies.view(), name("a"));
  REQUIRE(tree);
  REQUIRE((*tree)->make());
  fs::remove_all(hierarchies.own("pids") + "/" + name("a"));
  const auto refused = (*tree)->make();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "No control group can be made in " + hierarchies.own("pids") +
                                       "/" + name("a") +
                                       " (No such file or directory): close sessions, or raise "
                                       "what limits it.");
  // What was made of it in the other hierarchy is gone again.
  CHECK(folders_in(hierarchies.own("memory") + "/" + name("a")).size() == 1);
}

TEST_CASE("What a dead executor left is removed behind the sessions' back, also later") {
  const Hierarchies hierarchies;
  const std::string gone = hierarchies.own("memory") + "/" + name("gone");
  const std::string ending = hierarchies.own("pids") + "/" + name("ending");
  fs::create_directories(gone + "/session-1");
  fs::create_directories(ending + "/session-1/process");
  const CgroupPool pool(hierarchies.view(), name("a"));
  CHECK(wait_until([&] { return !fs::exists(gone); }));
  CHECK(fs::exists(ending));
  fs::remove(ending + "/session-1/process");
  CHECK(wait_until([&] { return !fs::exists(ending); }));
}

TEST_CASE("A pool ends though its last group was given back only just before") {
  const Hierarchies hierarchies;
  for (int i = 0; i < 300; ++i) {
    CgroupPool pool(hierarchies.view(), name("a"));
    // The group is given back at once.
    CHECK_FALSE(pool.take(kImpossible));
  }
  SUCCEED("none of them waited for ever");
}

TEST_CASE("A group of v2 that this user may not manage is not used") {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "above/own");
  const CgroupView view{.own = {{.controllers = "", .path = "/above/own"}},
                        .mounts = {{.version = CgroupMount::Version::v2,
                                    .controllers = "",
                                    .root = "/",
                                    .point = scratch.path()}}};
  std::vector<std::string> problems;
  CHECK(find_places_v2(view, name("a"), problems).folders().empty());
  REQUIRE_FALSE(problems.empty());
  CHECK(problems.front() == (scratch / "above/own") + " is not delegated to this user");
  CHECK(fs::is_empty(scratch / "above/own"));
  CHECK(folders_in(scratch / "above").size() == 1);
}

// Each step of confinement made to fail: no session starts partly confined.
#include <string>
#include <vector>

#include "security/attack_runner.hpp"
#include "security/outcome_table.hpp"
#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::vector<std::string> kSteps{
    "cgroup",  "cage",         "process_group", "keyring",  "capabilities",
    "ids",     "no_new_privs", "parent_death",  "landlock", "descriptors",
    "rlimits", "not_dumpable", "seccomp"};

}  // namespace

TEST_CASE("A step of confinement that fails keeps the session from starting, whatever is asked") {
  const auto executor = attacked_executor();
  executor->switch_off({});
  auto neighbour = open_attacked(attack_policy({}));
  REQUIRE(neighbour.run("kept = 4").status == Status::ok);
  const Traces before = settled_traces();
  for (const std::string& step : kSteps) {
    for (const Isolation asked : {Isolation::required, Isolation::best_effort, Isolation::none}) {
      INFO(step);
      SecurityPolicy policy = attack_policy({});
      policy.isolation = asked;
      executor->fail_at(step);
      const auto session = executor->open_session(policy);
      executor->fail_at("");
      REQUIRE_FALSE(session);
      CHECK(session.error().kind == ErrorKind::host_error);
      CHECK_THAT(session.error().message, ContainsSubstring("step " + step + " "));
    }
    const bool clean = traces_become(before);
    INFO("before: " << before << "\nafter: " << traces_now());
    CHECK(clean);
    CHECK(neighbour.run("kept").text == "4");
    record("P193", "step " + step + " fails", clean ? "no session" : "NOT HELD");
  }
  auto after = open_attacked(attack_policy({}));
  CHECK(after.run("1 + 1").text == "2");
}

TEST_CASE("A step that fails when a session is restarted ends that cell and no more") {
  const auto executor = attacked_executor();
  auto session = open_attacked(attack_policy({}));
  CHECK(session.run("open('kept', 'w').write('x'); import os; os._exit(0)").cause == Cause::exit);
  executor->fail_at("seccomp");
  const auto failed = session.run("1 + 1");
  executor->fail_at("");
  CHECK(failed.status == Status::host_error);
  REQUIRE(failed.error);
  CHECK_THAT(failed.error->value, ContainsSubstring("step seccomp "));
  CHECK(session.run("open('kept').read()").text == "'x'");
}

TEST_CASE("Without no_new_privs there is no session, since nothing behind it can be had") {
  attacked_executor()->switch_off({"no_new_privs"});
  const auto refused = attacked_executor()->open_session(attack_policy({.without = {"x"}}));
  attacked_executor()->switch_off({});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, ContainsSubstring("of its confinement"));
}

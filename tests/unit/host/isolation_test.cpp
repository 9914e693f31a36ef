#include "host/isolation.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace cellblock;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<Layer> layers(const std::vector<std::string>& off = {}) {
  std::vector<Layer> list;
  for (const char* name :
       {"pid_namespace", "mounts", "ids", "network", "rlimits", "landlock", "seccomp", "cgroup"}) {
    const bool is_off = std::find(off.begin(), off.end(), name) != off.end();
    list.push_back({.name = name, .on = !is_off, .detail = is_off ? "because" : ""});
  }
  return list;
}

IsolationReport judged(const std::vector<std::string>& off) {
  return host::judge_isolation(layers(off));
}

std::string refusal(const std::vector<std::string>& off, Isolation asked) {
  const auto checked = host::check_isolation(judged(off), asked);
  if (checked) return "";
  CHECK(checked.error().kind == ErrorKind::isolation_unavailable);
  return checked.error().message;
}

}  // namespace

TEST_CASE("Every layer makes it full, a missing one that another replaces reduced") {
  CHECK(judged({}).level == "full");
  for (const char* name :
       {"pid_namespace", "mounts", "ids", "network", "rlimits", "landlock", "cgroup"}) {
    INFO(name);
    const auto report = judged({name});
    CHECK(report.level == "reduced");
    CHECK(host::check_isolation(report, Isolation::required));
    for (const Layer& layer : report.layers) CHECK(layer.remedy.empty() == layer.on);
  }
}

TEST_CASE("What Ubuntu's restricted user namespaces leave is enough for what is required") {
  const auto report = judged({"pid_namespace", "mounts", "ids", "network", "cgroup"});
  CHECK(report.level == "reduced");
  CHECK(host::check_isolation(report, Isolation::required));
}

TEST_CASE("A refusal names what is not held, each layer that would, its cause and the remedy") {
  CHECK_THAT(refusal({"mounts", "landlock"}, Isolation::required),
             ContainsSubstring("nothing holds files") &&
                 ContainsSubstring("mounts is off (because): run as root") &&
                 ContainsSubstring("landlock is off (because): use Linux") &&
                 ContainsSubstring("\"best_effort\""));
  CHECK_THAT(refusal({"cgroup", "rlimits"}, Isolation::required),
             ContainsSubstring("holds memory"));
  CHECK_THAT(refusal({"seccomp"}, Isolation::required), ContainsSubstring("the kernel's surface"));
}

TEST_CASE("Best effort starts with less, but never without the system call filter") {
  CHECK(refusal({"mounts", "landlock", "pid_namespace"}, Isolation::best_effort).empty());
  CHECK(judged({"mounts", "landlock"}).level == "partial");
  CHECK_THAT(refusal({"seccomp"}, Isolation::best_effort), ContainsSubstring("\"none\""));
  CHECK(refusal({"seccomp"}, Isolation::none).empty());
}

TEST_CASE("Without any layer the level is none") {
  CHECK(host::judge_isolation({{.name = "rlimits", .on = false, .detail = ""}}).level == "none");
  CHECK(host::judge_isolation({}).level == "none");
}

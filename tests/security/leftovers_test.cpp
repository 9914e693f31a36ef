// A thousand sessions later the machine is as it was, and there are never more than allowed.
#include <unistd.h>

#include <fstream>
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

std::size_t resident_kib(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

void open_and_close(int count) {
  for (int n = 0; n < count; ++n) {
    auto session = open_attacked(attack_policy({}));
    if (n % 10 == 0) REQUIRE(session.run("open('left', 'w').write('x')").text == "1");
    session.close();
  }
}

}  // namespace

TEST_CASE("Many opened and closed sessions leave nothing behind") {
  attacked_executor()->switch_off({});
  const int count = ::geteuid() == 0 ? 1'000 : 300;
  // What is made once, and what the allocator keeps.
  open_and_close(100);
  static_cast<void>(open_attacked(attack_policy({})));
  const Traces before = settled_traces();
  const std::size_t host_before = resident_kib(::getpid());
  const std::size_t zygote_before = resident_kib(zygote_pid());
  open_and_close(count);
  const bool clean = traces_become(before);
  INFO("before: " << before << "\nafter: " << traces_now());
  CHECK(clean);
  const std::size_t host_after = resident_kib(::getpid());
  const std::size_t zygote_after = resident_kib(zygote_pid());
  INFO("host " << host_before << " -> " << host_after << " KiB, zygote " << zygote_before << " -> "
               << zygote_after << " KiB");
  CHECK(host_after < host_before + 4'096);
  CHECK(zygote_after < zygote_before + 4'096);
  record("K154", std::to_string(count) + " sessions", clean ? "nothing left" : "NOT HELD");
}

TEST_CASE("Many opened and closed contexts of one session leave nothing behind") {
  attacked_executor()->switch_off({});
  auto session = open_attacked(attack_policy({}));
  const auto open_and_close_contexts = [&](int count) {
    for (int n = 0; n < count; ++n) {
      auto context = open_attacked_context(session);
      if (n % 10 == 0) REQUIRE(context.run("open('left', 'w').write('x')").text == "1");
      if (n % 25 == 0) static_cast<void>(session.run("import os\nos._exit(0)"));
      context.close();
    }
  };
  open_and_close_contexts(50);
  REQUIRE(session.run("1").status == Status::ok);
  const Traces before = settled_traces();
  const std::size_t zygote_before = resident_kib(zygote_pid());
  open_and_close_contexts(200);
  REQUIRE(session.run("1").status == Status::ok);
  const bool clean = traces_become(before);
  INFO("before: " << before << "\nafter: " << traces_now());
  CHECK(clean);
  CHECK(resident_kib(zygote_pid()) < zygote_before + 4'096);
  record("K154", "200 contexts", clean ? "nothing left" : "NOT HELD");
}

TEST_CASE("A flood of opens ends in busy_limit, and the sessions that are there go on") {
  attack_policy({});
  ExecutorOptions options;
  options.max_sessions = 4;
  const auto executor = make_executor(options);
  std::vector<Session> sessions;
  for (std::size_t n = 0; n < options.max_sessions; ++n) {
    sessions.push_back(open_session(*executor, attack_policy({})));
  }
  const std::size_t processes = traces_now().processes.size();
  for (int n = 0; n < 200; ++n) {
    const auto refused = executor->open_session(attack_policy({}));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::busy_limit);
    CHECK_THAT(refused.error().message, ContainsSubstring("max_sessions"));
  }
  CHECK(traces_now().processes.size() <= processes + 2);
  for (Session& session : sessions) CHECK(session.run("1 + 1").text == "2");
  sessions.pop_back();
  auto next = executor->open_session(attack_policy({}));
  REQUIRE(next);
  CHECK(next->run("1 + 1").text == "2");
}

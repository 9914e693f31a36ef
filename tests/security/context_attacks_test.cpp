// What one context may do to another of the same cage, and to the machine: no more than a session.
#include <string>

#include "security/attack_runner.hpp"
#include "security/outcome_table.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::test;

TEST_CASE("A context's report has the layers of a session's") {
  attacked_executor()->switch_off({});
  Session session = open_attacked(attack_policy({}));
  Session context = open_attacked_context(session);
  const IsolationReport theirs = session.isolation();
  const IsolationReport ours = context.isolation();
  CHECK(ours.level == theirs.level);
  REQUIRE(ours.layers.size() == theirs.layers.size());
  for (const Layer& layer : theirs.layers) {
    INFO(layer.name << ": " << layer.detail);
    const Layer* same = find_layer(ours, layer.name);
    REQUIRE(same != nullptr);
    CHECK(same->on == layer.on);
  }
}

TEST_CASE("A context neither signals, traces nor sees the processes of another") {
  attacked_executor()->switch_off({});
  Session session = open_attacked(attack_policy({}));
  Session context = open_attacked_context(session);
  REQUIRE(session.run("kept = 4").status == Status::ok);
  auto running = session.start("import time\nwhile True: time.sleep(0.01)");
  // All numbers that the few processes of a cage can have; PID 1 ignores what reaches it.
  const auto result = context.run(std::string(kPrelude) + R"(
import signal
others = [n for n in range(2, 400) if n != os.getpid()]
say(*(tried(os.kill, n, signal.SIGKILL) for n in others))
say(*(call(101, 16, n, 0, 0) for n in others))  # ptrace(PTRACE_ATTACH)
say(*(call(310, n, b'', 0, b'', 0, 0) for n in others))  # process_vm_readv
say(*(call(434, n, 0) for n in others))  # pidfd_open
)");
  INFO(result.out);
  CHECK((result.out == "ESRCH\nEPERM\nEPERM\nEPERM\n" ||
         result.out == "EPERM\nEPERM\nEPERM\nEPERM\n" ||
         result.out == "EPERM ESRCH\nEPERM\nEPERM\nEPERM\n"));
  CHECK_FALSE(running.done());
  running.interrupt();
  CHECK(running.wait().state == State::kept);
  CHECK(session.run("kept").text == "4");
  record("M161", "context to context", "pid_namespace, seccomp");
}

// The time limit of a run: what code does against it, what stops it, and what is told.
#include <optional>
#include <string>
#include <vector>

#include "integration/limited_runs.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

TEST_CASE("Nothing that code does keeps it running past its limit and the grace") {
  struct Evasion {
    const char* name;
    std::string code;
    std::optional<StoppedBy> rung;  // nothing: either
  };
  const std::vector<Evasion> evasions{
      {"a sleep", "import time\ntime.sleep(600)", StoppedBy::sigint},
      {"a lock", "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
       StoppedBy::sigint},
      {"a thread that is waited for",
       "import threading, time\nt = threading.Thread(target=time.sleep, args=(600,), daemon=True)\n"
       "t.start()\nt.join()",
       StoppedBy::sigint},
      {"a stop", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass",
       StoppedBy::sigint},
      {"a runaway regular expression", "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", {}},
      {"a loop in C", "sum(range(10 ** 13))", StoppedBy::sigkill},
      {"a sort in C",
       "numbers = [n * 7919 % 1000003 for n in range(10 ** 6)]\nwhile True: sorted(numbers * 9)",
       {}},
      {"except BaseException",
       "import time\nwhile True:\n    try: time.sleep(60)\n    except BaseException: pass",
       StoppedBy::sigkill},
      {"ignored signals",
       "import signal\nfor n in (2, 10, 12, 14, 15, 24, 62): signal.signal(n, signal.SIG_IGN)\n"
       "while True: pass",
       StoppedBy::sigkill},
      {"blocked signals",
       "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
       StoppedBy::sigkill},
      {"a stop with blocked signals",
       "import os, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
       "os.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass",
       StoppedBy::sigkill},
      {"a handler of its own that loops",
       "import signal\ndef handler(*_):\n    while True: pass\n"
       "signal.signal(signal.SIGINT, handler)\nwhile True: pass",
       {}},
      {"a thread that keeps the GIL",
       "import sys, threading\nsys.setswitchinterval(1e9)\n"
       "threading.Thread(target=lambda: sum(range(10 ** 13)), daemon=True).start()\n"
       "while True: pass",
       StoppedBy::sigkill},
      {"clocks that stand still",
       "import time\ntime.monotonic = time.time = time.perf_counter = lambda: 0\n"
       "while True: pass",
       StoppedBy::sigint},
      {"its own timers",
       "import signal\nsignal.alarm(600)\nsignal.setitimer(signal.ITIMER_REAL, 600)\n"
       "while True: pass",
       StoppedBy::sigint},
      {"a value that takes for ever to show",
       "class Slow:\n    def __repr__(self):\n        while True: pass\nSlow()",
       {}},
      {"a destructor",
       "class Last:\n    def __del__(self):\n        while True: pass\nLast()\nNone",
       {}},
  };
  for (const Evasion& evasion : evasions) {
    INFO(evasion.name);
    auto session = open_session(shared_executor(), bare_policy());
    REQUIRE(session.run("x = 1\nopen('kept', 'w').close()").status == Status::ok);
    const auto result = run_in(session, evasion.code, 300ms);
    INFO(result.to_json());
    CHECK(result.status == Status::timeout);
    CHECK(result.cause == Cause::wall_time);
    CHECK(result.exit_code == 124);
    CHECK(result.usage.wall_ms >= 290);
    CHECK(result.usage.wall_ms < 300 + 400 + 2000);
    REQUIRE(result.stopped_by);
    if (evasion.rung) CHECK(*result.stopped_by == *evasion.rung);
    const bool killed = *result.stopped_by == StoppedBy::sigkill;
    CHECK(result.state == (killed ? State::lost : State::kept));
    if (killed) CHECK(result.lost_names == std::vector<std::string>{"x"});
    CHECK(result.error->value == "The cell was stopped at its limit of 0.3 s.");
    CHECK_FALSE(result.error->hint.empty());
    const auto next = session.run("import os\n('x' in globals(), os.path.exists('kept'))");
    CHECK(next.text == (killed ? "(False, True)" : "(True, True)"));
    CHECK(next.state == State::kept);
  }
}

TEST_CASE("A stop at a limit is told as that, with what more time a run may ask for") {
  auto policy = bare_policy();
  policy.timeout = 2s;
  policy.grace = 60s;  // a busy machine is no reason to kill
  auto session = open_session(shared_executor(), policy);
  const std::string spin = "def spin():\n    while True: pass\nspin()";
  const auto asked = run_in(session, spin, 300ms);
  CHECK_THAT(asked.error->hint, EndsWith("asked for 0.3 s; up to 2 s are allowed."));
  CHECK_THAT(asked.error->traceback, EndsWith("KeyboardInterrupt"));
  const std::string text = asked.to_model_text(4000);
  CHECK_THAT(text,
             ContainsSubstring(
                 "while True: pass\nTimeoutError: The cell was stopped at its limit of 0.3 s."));
  CHECK_THAT(text, !ContainsSubstring("KeyboardInterrupt"));
  const auto whole = session.run(spin);
  CHECK(whole.status == Status::timeout);
  CHECK_THAT(whole.error->hint, !ContainsSubstring("allowed"));
}

TEST_CASE("The next cell can be stopped softly again, whatever the last did to its signals") {
  auto session = open_session(shared_executor(), bare_policy());
  REQUIRE(session
              .run("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                   "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nx = 1")
              .status == Status::ok);
  const auto result = run_in(session, "while True: pass", 200ms);
  CHECK(result.stopped_by == StoppedBy::sigint);
  CHECK(session.run("x").text == "1");
}

TEST_CASE("Many sessions in loops are each stopped on time") {
  std::vector<Session> sessions;
  for (int i = 0; i < 20; ++i) sessions.push_back(open_session(shared_executor(), bare_policy()));
  std::vector<RunningExecution> running;
  RunOptions options;
  options.timeout = 500ms;
  for (auto& session : sessions) running.push_back(session.start("while True: pass", options));
  for (auto& run : running) {
    const auto result = run.wait();
    CHECK(result.status == Status::timeout);
    CHECK(result.usage.wall_ms < 500 + 400 + 2000);
  }
}

TEST_CASE("At a kill the Python stack of that moment is told") {
  auto policy = bare_policy();
  policy.grace = 2s;
  auto session = open_session(shared_executor(), policy);
  REQUIRE(session.run("def spin(n):\n    return sum(range(n))").status == Status::ok);
  const auto result = run_in(session, "def outer():\n    spin(10 ** 13)\nouter()", 200ms);
  CHECK(result.stopped_by == StoppedBy::sigkill);
  REQUIRE(result.error);
  CHECK(result.error->traceback ==
        "Traceback (most recent call last):\n"
        "  File \"<cell 2>\", line 3, in <module>\n"
        "  File \"<cell 2>\", line 2, in outer\n"
        "  File \"<cell 1>\", line 2, in spin");
}

TEST_CASE("A stack that cannot be had at a kill is left out") {
  auto session = open_session(shared_executor(), bare_policy());
  const auto result = run_in(
      session,
      "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
      200ms);
  CHECK(result.stopped_by == StoppedBy::sigkill);
  REQUIRE(result.error);
  CHECK(result.error->traceback.empty());
}

TEST_CASE("A session cannot make its stack more than text in bounds, nor wait for its reader") {
  auto session = open_session(shared_executor(), bare_policy());
  const auto result = run_in(session,
                             "import os\nfor _ in range(100):\n"
                             "    try: os.write(4, b'Current thread 0x1\\n' + b'\\xff' * 60000)\n"
                             "    except BlockingIOError: pass\n"
                             "sum(range(10 ** 13))",
                             500ms);
  CHECK(result.status == Status::timeout);
  REQUIRE(result.error);
  CHECK(result.error->traceback.size() < 20'000);
}

TEST_CASE("A shorter limit of the caller's holds, a longer one is the policy's and told so") {
  auto policy = bare_policy();
  policy.timeout = 600ms;
  auto session = open_session(shared_executor(), policy);
  CHECK(run_in(session, "while True: pass", 200ms).usage.wall_ms < 600);
  const auto clamped = run_in(session, "while True: pass", 60s);
  CHECK(clamped.status == Status::timeout);
  CHECK(clamped.policy_events.at("timeout_clamped") == 1);
  CHECK_THAT(clamped.error->value, ContainsSubstring("0.6 s"));
}

// What becomes of a session beyond one run: threads that live on, restarts, and its lifetime.
#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// It waits in C, where no exception reaches it.
const std::string kStubbornThread =
    "import threading\n"
    "threading.Thread(target=threading.Event().wait, daemon=True).start()\n";

SecurityPolicy ending_threads() {
  SecurityPolicy policy;
  policy.background = BackgroundThreads::end;
  policy.grace = 400ms;
  return policy;
}

}  // namespace

// --- threads -------------------------------------------------------------------------------------

TEST_CASE("With background end a thread that listens is ended with its cell, and state is kept") {
  auto session = open_session(shared_executor(), ending_threads());
  const auto result = session.run(
      "import threading, time\nx = 1\n"
      "def tick():\n    while True: time.sleep(0.001)\n"
      "threading.Thread(target=tick).start()");
  CHECK(result.status == Status::ok);
  CHECK(result.state == State::kept);
  CHECK(session.run("x, threading.active_count()").text == "(1, 1)");
}

TEST_CASE("With background end a thread that does not listen costs the state, which is told once") {
  auto session = open_session(shared_executor(), ending_threads());
  REQUIRE(session.run("open('kept', 'w').close()").status == Status::ok);
  const auto result = session.run("x = 1\nprint('out')\n" + kStubbornThread);
  CHECK(result.status == Status::ok);
  CHECK(result.out == "out\n");
  CHECK(result.state == State::lost);
  CHECK(std::count(result.lost_names.begin(), result.lost_names.end(), "x") == 1);
  CHECK(result.policy_events.at("background_threads_killed") == 1);
  const auto next = session.run("import os\n('x' in globals(), os.path.exists('kept'))");
  CHECK(next.status == Status::ok);
  CHECK(next.text == "(False, True)");
  CHECK(next.state == State::kept);
}

TEST_CASE("With background keep a thread lives on, and what it writes later is late") {
  SecurityPolicy policy;
  auto session = open_session(shared_executor(), policy);
  const auto result = session.run(
      "import threading, os, time\ngo = threading.Event()\n"
      "def later():\n    go.wait()\n    print('late words', flush=True)\n    open('said', 'w')\n"
      "threading.Thread(target=later, daemon=True).start()");
  CHECK(result.state == State::kept);
  REQUIRE(session.run("threading.active_count()").text == "2");
  // Its words come while nothing runs.
  REQUIRE(session.run("threading.Timer(0.05, go.set).start()").status == Status::ok);
  REQUIRE(wait_until([&] {
    const auto files = session.files();
    return files && std::any_of(files->begin(), files->end(),
                                [](const FileInfo& file) { return file.path == "said"; });
  }));
  const auto next = session.run("1");
  CHECK(next.late_out == "late words\n");
  CHECK(next.out.empty());
}

TEST_CASE("A run right after one whose process had to be ended is not hit by that end") {
  auto session = open_session(shared_executor(), ending_threads());
  auto first = session.start(kStubbornThread);
  auto second = session.start("2");
  CHECK(first.wait().state == State::lost);
  const auto result = second.wait();
  CHECK(result.status == Status::ok);
  CHECK(result.text == "2");
}

// --- restarts ------------------------------------------------------------------------------------

TEST_CASE("With on_restart reimport the successor has the imports of the old one") {
  SecurityPolicy policy;
  policy.on_restart = OnRestart::reimport;
  policy.grace = 100ms;
  auto session = open_session(shared_executor(), policy);
  REQUIRE(session.run("import json as j, math\nfrom math import floor as down\nx = 1").status ==
          Status::ok);
  REQUIRE(session.run("import os\nos._exit(0)").state == State::lost);
  const auto next = session.run("(j.dumps([1]), math.pi > 3, down(2.5), 'x' in globals())");
  INFO(next.to_json());
  CHECK(next.text == "('[1]', True, 2, False)");
  CHECK(next.err.empty());
  // And the next one as well, though no import was written since.
  REQUIRE(session.run("import os\nos._exit(0)").state == State::lost);
  CHECK(session.run("down(3.5)").text == "3");
}

TEST_CASE("An import that cannot be made again is told, and the cell runs") {
  SecurityPolicy policy;
  policy.on_restart = OnRestart::reimport;
  auto session = open_session(shared_executor(), policy);
  REQUIRE(session.upload("own.py", "value = 5\n"));
  REQUIRE(session.run("import own, math\nown.value").text == "5");
  REQUIRE(session.run("import os\nos.remove('own.py')\nos._exit(0)").state == State::lost);
  const auto next = session.run("math.floor(2.5)");
  CHECK(next.status == Status::ok);
  CHECK(next.text == "2");
  CHECK_THAT(next.err, ContainsSubstring("not imported again: import own"));
  CHECK(session.run("1").err.empty());
}

TEST_CASE("An import that hangs in the successor ends at the run's limit") {
  SecurityPolicy policy;
  policy.on_restart = OnRestart::reimport;
  policy.grace = 300ms;
  auto session = open_session(shared_executor(), policy);
  REQUIRE(session.upload("own.py", "value = 5\n"));
  REQUIRE(session.run("import own").status == Status::ok);
  REQUIRE(session.upload("own.py", "while True: pass\n"));
  REQUIRE(session.run("import os\nos._exit(0)").state == State::lost);
  RunOptions options;
  options.timeout = 300ms;
  const auto result = session.run("1", options);
  CHECK(result.status == Status::timeout);
  CHECK(result.stopped_by == StoppedBy::sigint);
}

TEST_CASE("With on_restart fresh nothing is imported again, and a reset forgets imports") {
  SecurityPolicy policy;
  auto fresh = open_session(shared_executor(), policy);
  REQUIRE(fresh.run("import math").status == Status::ok);
  REQUIRE(fresh.run("import os\nos._exit(0)").state == State::lost);
  CHECK(fresh.run("'math' in globals()").text == "False");

  policy.on_restart = OnRestart::reimport;
  auto session = open_session(shared_executor(), policy);
  REQUIRE(session.run("import math").status == Status::ok);
  REQUIRE(session.reset());
  REQUIRE(session.run("import os\nos._exit(0)").state == State::lost);
  CHECK(session.run("'math' in globals()").text == "False");
}

// --- lifetime ------------------------------------------------------------------------------------

TEST_CASE("A session that idles past its limit is ended, and every call is told so") {
  SecurityPolicy policy;
  policy.idle_ttl = 300ms;
  auto session = open_session(shared_executor(), policy);
  REQUIRE(session.run("print('x')").status == Status::ok);
  REQUIRE(wait_until([&] { return session.ended().has_value(); }));
  const auto over = [](const auto& answer) {
    return !answer && answer.error().kind == ErrorKind::expired &&
           answer.error().message ==
               "The session was not used for 0.3 s (idle_ttl_s) and was ended: open a new session.";
  };
  CHECK(session.ended()->kind == ErrorKind::expired);
  CHECK(over(session.variables()));
  CHECK(over(session.reset()));
  CHECK(over(session.complete("a", 1)));
  CHECK(over(session.inspect("a", 1)));
  CHECK(over(session.is_complete("a")));
  CHECK(over(session.upload("f", "x")));
  CHECK(over(session.append("f", "x")));
  CHECK(over(session.download("f")));
  CHECK(over(session.files()));
  CHECK(over(session.output({.execution_id = "x"})));
  const auto result = session.run("1");
  CHECK(result.status == Status::host_error);
  CHECK(result.exit_code == 125);
  REQUIRE(result.error);
  CHECK(result.error->name == "SessionExpired");
  CHECK_THAT(result.error->value, ContainsSubstring("idle_ttl_s"));
}

TEST_CASE("A run keeps a session from idling, however long it takes") {
  SecurityPolicy policy;
  policy.idle_ttl = 200ms;
  auto session = open_session(shared_executor(), policy);
  CHECK(session.run("import time\ntime.sleep(0.8)\n5").text == "5");
  CHECK(wait_until([&] { return session.ended().has_value(); }));
}

TEST_CASE("A session past its lifetime is ended also in the middle of a run, like a cancel") {
  SecurityPolicy policy;
  policy.session_ttl = 500ms;
  auto session = open_session(shared_executor(), policy);
  auto running = session.start("print('begun', flush=True)\nwhile True: pass");
  auto waiting = session.start("1");
  const auto result = running.wait();
  CHECK(result.status == Status::cancelled);
  CHECK(result.cause == Cause::wall_time);
  CHECK(result.out == "begun\n");
  REQUIRE(result.error);
  CHECK(result.error->name == "SessionExpired");
  CHECK(result.error->value ==
        "The session's lifetime of 0.5 s (session_ttl_s) is over: open a new session.");
  CHECK(waiting.wait().error->name == "SessionExpired");
  CHECK(session.ended()->kind == ErrorKind::expired);
}

TEST_CASE("A session that has expired makes room, and one that was closed is not expired") {
  ExecutorOptions options;
  options.max_sessions = 1;
  const auto own = make_executor(options);
  SecurityPolicy policy;
  policy.idle_ttl = 100ms;
  auto first = open_session(*own, policy);
  REQUIRE(wait_until([&] { return first.ended().has_value(); }));
  auto second = open_session(*own);
  CHECK(second.run("1").text == "1");
  second.close();
  REQUIRE(second.ended());
  CHECK(second.ended()->kind == ErrorKind::unknown_session);
}

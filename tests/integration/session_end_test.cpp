// How executions and sessions end when nobody meant them to.
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <string>

#include "base/usage.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

/// A session that holds `x` and a file.
Session with_state() {
  auto session = open_session(shared_executor());
  const auto result = session.run("import os\nx = 1\nopen('kept', 'w').close()");
  REQUIRE(result.status == Status::ok);
  return session;
}

/// The session goes on: with its id and workspace, without its state.
void check_goes_on(Session& session) {
  const auto next = session.run("import os\n(os.path.exists('kept'), 'x' in globals())");
  CHECK(next.status == Status::ok);
  CHECK(next.text == "(True, False)");
  CHECK(next.session_id == session.id());
}

bool names_x(const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), "x") != names.end();
}

}  // namespace

TEST_CASE("A crash is told by its signal, and the session goes on") {
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGKILL}) {
    INFO(number);
    auto session = with_state();
    const auto result = session.run("print('before', flush=True)\nos.kill(os.getpid(), " +
                                    std::to_string(number) + ")\nwhile True: pass");
    CHECK(result.status == Status::crashed);
    CHECK(result.cause == Cause::signal);
    CHECK(result.exit_code == 128 + number);
    CHECK(result.out == "before\n");
    CHECK(result.state == State::lost);
    CHECK(names_x(result.lost_names));
    REQUIRE(result.error);
    CHECK(result.error->name == "SIG" + std::string(::sigabbrev_np(number)));
    CHECK_FALSE(result.error->hint.empty());
    check_goes_on(session);
  }
}

TEST_CASE("An os._exit is an exit that loses the state and no output") {
  auto session = with_state();
  const auto result = session.run("os.write(1, b'raw')\nos._exit(7)");
  CHECK(result.status == Status::exit);
  CHECK(result.cause == Cause::exit);
  CHECK(result.exit_code == 7);
  CHECK(result.out == "raw");
  CHECK(result.state == State::lost);
  CHECK(names_x(result.lost_names));
  check_goes_on(session);
}

TEST_CASE("Code that breaks off or garbles its channel is ended for it") {
  for (const char* act :
       {"os.close(3)", "os.write(3, b'no frame at all, and long enough to be a header')",
        "os.dup2(os.open('/dev/null', os.O_RDWR), 3)", "os.closerange(3, 1024)"}) {
    // Whether it goes on for ever afterwards or ends at once.
    const char* after = GENERATE("while True: pass", "None");
    INFO(act << " and then " << after);
    auto session = with_state();
    const auto result =
        session.run(std::string("print('before', flush=True)\n") + act + "\n" + after);
    CHECK(result.status == Status::crashed);
    CHECK(result.cause == Cause::protocol);
    CHECK(result.exit_code == 137);
    CHECK(result.out == "before\n");
    CHECK(result.state == State::lost);
    check_goes_on(session);
  }
}

TEST_CASE("Half a frame, or a byte now and then, holds up nobody and ends at the limit") {
  SecurityPolicy policy;
  policy.grace = 300ms;
  auto session = open_session(shared_executor(), policy);
  auto other = open_session(shared_executor());
  RunOptions options;
  options.timeout = 400ms;
  for (const char* code :
       {"import os, struct\nos.write(3, struct.pack('=IBBHI', 0x314b4243, 1, 32, 0, 1 << 20))\n"
        "while True: pass",
        "import os, time\nwhile True:\n    os.write(3, b'C')\n    time.sleep(0.05)"}) {
    INFO(code);
    auto running = session.start(code, options);
    CHECK(other.run("1 + 1").text == "2");
    const auto result = running.wait();
    INFO(result.to_json());
    // By the watchdog, or since what follows is no frame.
    CHECK((result.status == Status::timeout || result.cause == Cause::protocol));
    CHECK(result.usage.wall_ms < 400 + 300 + 2000);
    CHECK(session.run("1 + 2").text == "3");
  }
}

TEST_CASE("A forged reply ends the session and says nothing in its name") {
  auto session = with_state();
  // A well-formed frame of a type that only a host sends.
  const auto result = session.run(
      "import struct\n"
      "os.write(3, struct.pack('=IBBHIHHQ', 0x314b4243, 1, 32, 0, 0, 0, 0, 2))\n"
      "while True: pass");
  CHECK(result.status == Status::crashed);
  CHECK(result.cause == Cause::protocol);
  check_goes_on(session);
}

TEST_CASE("A flood of a gigabyte is bounded in the result and in the host's memory") {
  auto session = open_session(shared_executor());
  REQUIRE(session.run("1").status == Status::ok);
  const auto before = base::process_max_rss_bytes();
  std::size_t streamed = 0;
  const auto result =
      session.run("import os\nblock = b'x' * 65536\nfor i in range(16384): os.write(1, block)", {},
                  {.on_stdout = [&](std::string_view text) { streamed += text.size(); }});
  CHECK(result.status == Status::ok);
  REQUIRE(result.out_truncated);
  CHECK(result.out_truncated->total_bytes == 1ULL << 30);
  CHECK(result.out.size() < 17'000);
  CHECK(streamed == 16U << 20);
  if (kMemoryIsMeasurable) CHECK(base::process_max_rss_bytes() - before < (80ULL << 20));
}

TEST_CASE("Displays past the policy's size are dropped and counted") {
  SecurityPolicy policy;
  policy.max_result_bytes = 100'000;
  auto session = open_session(shared_executor(), policy);
  const auto result = session.run("for i in range(50): display('x' * 9000)");
  CHECK(result.status == Status::ok);
  std::size_t bytes = 0;
  for (const auto& data : result.results) {
    for (const auto& mime : data.mime) bytes += mime.data.size();
  }
  CHECK(bytes <= 100'000);
  CHECK(result.results.size() < 50);
}

TEST_CASE("A process that dies between two runs is told by the next") {
  auto session = with_state();
  REQUIRE(session
              .run("import threading, time\n"
                   "def end():\n"
                   "    while not os.path.exists('go'): time.sleep(0.005)\n"
                   "    os._exit(3)\n"
                   "threading.Thread(target=end, daemon=True).start()")
              .status == Status::ok);
  const auto count = [] { return descendants_of(::getpid()).size(); };
  const auto alive = count();
  REQUIRE(session.upload("go", ""));
  REQUIRE(wait_until([&] { return count() < alive; }));
  const auto result = session.run("1");
  // It may have died under this run's request: then that one says so.
  CHECK(result.state == State::lost);
  CHECK(names_x(result.lost_names));
  check_goes_on(session);
}

TEST_CASE("A process that dies under a question is told by the next run") {
  auto session = with_state();
  REQUIRE(session
              .run("import threading, time\n"
                   "def end():\n"
                   "    while not os.path.exists('go'): time.sleep(0.001)\n"
                   "    os._exit(3)\n"
                   "threading.Thread(target=end, daemon=True).start()")
              .status == Status::ok);
  REQUIRE(session.upload("go", ""));
  // Questions without a pause, so that one of them stands when it dies.
  REQUIRE(wait_until([&] {
    const auto variables = session.variables();
    return !variables || variables->empty();
  }));
  const auto result = session.run("1");
  CHECK(result.status == Status::ok);
  CHECK(result.state == State::lost);
  CHECK(names_x(result.lost_names));
  CHECK(session.run("1").state == State::kept);
}

TEST_CASE("A zygote that is killed under a run is told, and the next run goes on") {
  const auto others = zygote_pids();
  const auto own = make_executor();
  auto session = open_session(*own);
  auto other = open_session(*own);
  REQUIRE(session.run("x = 1\nopen('kept', 'w').close()").status == Status::ok);
  REQUIRE(other.run("y = 1").status == Status::ok);
  Flag begun;
  auto running = session.start("print('begun', flush=True)\nwhile True: pass", {},
                               {.on_stdout = [&](std::string_view) { begun.set(); }});
  REQUIRE(begun.wait());
  // The shared executor has a zygote too.
  pid_t zygote = 0;
  for (const pid_t pid : zygote_pids()) {
    if (!others.contains(pid)) zygote = pid;
  }
  REQUIRE(zygote > 0);
  REQUIRE(::kill(zygote, SIGKILL) == 0);
  const auto result = running.wait();
  CHECK(result.status == Status::host_error);
  CHECK(result.cause == Cause::zygote_lost);
  CHECK(result.exit_code == 125);
  CHECK(result.out == "begun\n");
  CHECK(result.state == State::lost);
  CHECK(names_x(result.lost_names));
  check_goes_on(session);

  const auto told = other.run("'y' in globals()");
  CHECK(told.status == Status::ok);
  CHECK(told.text == "False");
  CHECK(told.state == State::lost);
  CHECK(told.lost_names == std::vector<std::string>{"y"});
}

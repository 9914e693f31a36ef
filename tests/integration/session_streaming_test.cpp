// What a caller sees while an execution runs or waits, and how it takes it back.
#include <algorithm>
#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

/// What came, in order; "D" stands for a display.
class Recorder final {
 public:
  RunCallbacks callbacks() {
    return {.on_stdout = [this](std::string_view text) { add("O", text); },
            .on_stderr = [this](std::string_view text) { add("E", text); },
            .on_display =
                [this](const DisplayData& data) {
                  const auto* text = data.find("text/plain");
                  add("D", text == nullptr ? "" : *text);
                },
            .on_queued = [this](std::size_t position) { add("Q", std::to_string(position)); }};
  }
  [[nodiscard]] std::string of(const std::string& kind) {
    const std::lock_guard lock(mutex_);
    std::string joined;
    for (const auto& [k, text] : events_) {
      if (k == kind) joined += text;
    }
    return joined;
  }
  [[nodiscard]] bool all_valid() {
    const std::lock_guard lock(mutex_);
    return std::all_of(events_.begin(), events_.end(), [](const auto& event) {
      return base::to_valid_utf8(event.second) == event.second;
    });
  }
  /// What stdout or stderr had by the time of the n-th display.
  [[nodiscard]] std::string before_display(const std::string& kind, std::size_t n) {
    const std::lock_guard lock(mutex_);
    std::string joined;
    for (const auto& [k, text] : events_) {
      if (k == "D" && n-- == 0) return joined;
      if (k == kind) joined += text;
    }
    return "there was no such display";
  }

 private:
  void add(const std::string& kind, std::string_view text) {
    const std::lock_guard lock(mutex_);
    events_.emplace_back(kind, text);
  }

  std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> events_;
};

}  // namespace

TEST_CASE("What was written before a display is seen before it, and displays stay in order") {
  auto session = open_session(shared_executor());
  Recorder recorder;
  const auto result = session.run(
      "import sys\n"
      "for i in range(20):\n"
      "    print('out', i, flush=True)\n"
      "    print('err', i, file=sys.stderr, flush=True)\n"
      "    display(i)\n"
      "print('end')",
      {}, recorder.callbacks());
  REQUIRE(result.status == Status::ok);
  CHECK(recorder.of("O") == result.out);
  CHECK(recorder.of("E") == result.err);
  CHECK(result.results.size() == 20);
  std::string displays;
  for (std::size_t i = 0; i < 20; ++i) {
    displays += std::to_string(i);
    CHECK(recorder.before_display("O", i).find("out " + std::to_string(i) + "\n") !=
          std::string::npos);
    CHECK(recorder.before_display("E", i).find("err " + std::to_string(i) + "\n") !=
          std::string::npos);
  }
  CHECK(recorder.of("D") == displays);
}

TEST_CASE("Text arrives while the code runs") {
  auto session = open_session(shared_executor());
  Flag seen;
  auto running = session.start("print('now', flush=True)\n" + until_file("go") + "print('then')",
                               {}, {.on_stdout = [&](std::string_view) { seen.set(); }});
  REQUIRE(seen.wait());
  CHECK_FALSE(running.done());
  REQUIRE(session.upload("go", ""));
  CHECK(running.wait().out == "now\nthen\n");
}

TEST_CASE("Streamed text never splits a character") {
  auto session = open_session(shared_executor());
  Recorder recorder;
  const auto result = session.run(
      "import os\n"
      "data = ('aé€😀' * 300).encode()\n"
      "for byte in data: os.write(1, bytes([byte]))\n"
      "os.write(1, b'\\xff' + '€'.encode()[:2])",
      {}, recorder.callbacks());
  REQUIRE(result.status == Status::ok);
  std::string expected;
  for (int i = 0; i < 300; ++i) expected += "aé€😀";
  expected += "\xEF\xBF\xBD\xEF\xBF\xBD";
  CHECK(recorder.all_valid());
  CHECK(recorder.of("O") == expected);
  CHECK(result.out == expected);
}

TEST_CASE("Every callback has returned when the result is there") {
  auto session = open_session(shared_executor());
  std::string streamed;  // no lock: that is the claim
  auto running = session.start("for i in range(200): print(i, flush=True)", {},
                               {.on_stdout = [&](std::string_view text) {
                                 std::this_thread::yield();
                                 streamed += text;
                               }});
  CHECK(running.wait().out == streamed);
}

TEST_CASE("A started run tells that it is done when the result can be had at once") {
  auto session = open_session(shared_executor());
  std::string told;
  std::promise<void> done;
  auto running = session.start("print(1)", {},
                               {.on_stdout = [&](std::string_view text) { told += text; },
                                .on_done =
                                    [&] {
                                      told += "done";
                                      done.set_value();
                                    }});
  REQUIRE(done.get_future().wait_for(20s) == std::future_status::ready);
  CHECK(told == "1\ndone");
  CHECK(running.done());
  CHECK(running.wait_for(0ms).has_value());
}

TEST_CASE("As much is streamed as is spooled, however much is written") {
  SecurityPolicy policy;
  policy.spool_bytes = 100'000;
  auto session = open_session(shared_executor(), policy);
  std::size_t streamed = 0;
  const auto result =
      session.run("for i in range(1000): print('x' * 999)", {},
                  {.on_stdout = [&](std::string_view text) { streamed += text.size(); }});
  CHECK(result.out_truncated->total_bytes == 1'000'000);
  CHECK(streamed == 100'000);
}

TEST_CASE("Who waits is told the position, and again as it moves up") {
  auto session = open_session(shared_executor());
  Recorder first;
  Recorder second;
  Recorder third;
  auto a = session.start(until_file("go1") + "'a'", {}, first.callbacks());
  auto b = session.start(until_file("go2") + "'b'", {}, second.callbacks());
  auto c = session.start("'c'", {}, third.callbacks());
  REQUIRE(wait_until([&] { return third.of("Q") == "2"; }));
  REQUIRE(wait_until([&] { return second.of("Q") == "1"; }));
  REQUIRE(session.upload("go1", ""));
  CHECK(a.wait().text == "'a'");
  REQUIRE(wait_until([&] { return third.of("Q") == "21"; }));
  REQUIRE(session.upload("go2", ""));
  CHECK(b.wait().text == "'b'");
  CHECK(c.wait().text == "'c'");
  CHECK(first.of("Q").empty());
  CHECK(second.of("Q") == "1");
  CHECK(third.of("Q") == "21");
}

TEST_CASE("A queued run that is taken back never starts, and those behind it move up") {
  auto session = open_session(shared_executor());
  Recorder behind;
  auto a = session.start(until_file("go") + "'a'");
  auto b = session.start("ran = True");
  auto c = session.start("'ran' in globals()", {}, behind.callbacks());
  REQUIRE(wait_until([&] { return behind.of("Q") == "2"; }));
  b.interrupt();
  const auto taken_back = b.wait();
  CHECK(taken_back.status == Status::cancelled);
  CHECK(taken_back.cause == Cause::caller);
  CHECK(taken_back.exit_code == 130);
  CHECK(taken_back.state == State::kept);
  CHECK(taken_back.usage.wall_ms == 0);
  CHECK_FALSE(a.done());
  CHECK(wait_until([&] { return behind.of("Q") == "21"; }, 10s));
  REQUIRE(session.upload("go", ""));
  CHECK(a.wait().text == "'a'");
  CHECK(c.wait().text == "False");
}

TEST_CASE("Runs of several threads take turns, each with its own result") {
  auto session = open_session(shared_executor());
  REQUIRE(session.run("inside = 0\ntotal = 0").status == Status::ok);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string mark = std::to_string(t) + "-" + std::to_string(i);
        const auto result = session.run("inside += 1\nassert inside == 1\ntotal += 1\nprint('" +
                                        mark + "')\ninside -= 1");
        if (result.status != Status::ok || result.out != mark + "\n") ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(session.run("total").text == "80");
}

TEST_CASE("An interrupted run is cancelled, its output and the state kept") {
  auto session = open_session(shared_executor());
  REQUIRE(session.run("x = 1").status == Status::ok);
  for (const bool by_session : {false, true}) {
    Flag begun;
    auto running = session.start("print('begun', flush=True)\nwhile True: pass", {},
                                 {.on_stdout = [&](std::string_view) { begun.set(); }});
    REQUIRE(begun.wait());
    if (by_session) {
      session.interrupt();
    } else {
      running.interrupt();
    }
    const auto result = running.wait();
    CHECK(result.status == Status::cancelled);
    CHECK(result.cause == Cause::caller);
    CHECK(result.exit_code == 130);
    CHECK(result.stopped_by == StoppedBy::sigint);
    CHECK(result.state == State::kept);
    CHECK(result.out == "begun\n");
  }
  CHECK(session.run("x").text == "1");
}

TEST_CASE("An interrupt that the code ignores ends in a kill with the same status") {
  SecurityPolicy policy;
  policy.grace = 300ms;
  policy.import_guard = ImportGuard::off;
  auto session = open_session(shared_executor(), policy);
  Flag begun;
  auto running = session.start(
      "import signal\n"
      "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
      "print('begun', flush=True)\n"
      "while True: pass",
      {}, {.on_stdout = [&](std::string_view) { begun.set(); }});
  REQUIRE(begun.wait());
  running.interrupt();
  const auto result = running.wait();
  CHECK(result.status == Status::cancelled);
  CHECK(result.stopped_by == StoppedBy::sigkill);
  CHECK(result.state == State::lost);
  CHECK(session.run("1").status == Status::ok);
}

TEST_CASE("An interrupt of what has ended or of nothing harms no later run") {
  auto session = open_session(shared_executor());
  session.interrupt();
  auto done = session.start("1");
  REQUIRE(done.wait().status == Status::ok);
  auto next = session.start(until_file("go") + "2");
  done.interrupt();
  REQUIRE(session.upload("go", ""));
  CHECK(next.wait().status == Status::ok);
  session.interrupt();
  CHECK(session.run("3").text == "3");
}

TEST_CASE("An interrupt from a callback of the same run works") {
  auto session = open_session(shared_executor());
  const auto result = session.run("print('begun', flush=True)\nwhile True: pass", {},
                                  {.on_stdout = [&](std::string_view) { session.interrupt(); }});
  CHECK(result.status == Status::cancelled);
}

TEST_CASE("Interrupts in a row of short runs hit only the run that they are meant for") {
  auto session = open_session(shared_executor());
  for (int i = 0; i < 50; ++i) {
    auto meant = session.start("for _ in range(2000): pass");
    auto innocent = session.start("sum(range(20000))");
    meant.interrupt();
    const auto status = meant.wait().status;
    const bool expected = status == Status::ok || status == Status::cancelled;
    CHECK(expected);
    REQUIRE(innocent.wait().status == Status::ok);
  }
}

TEST_CASE("A close during a run cancels it and all that wait") {
  auto session = open_session(shared_executor());
  Flag begun;
  auto running = session.start("print('begun', flush=True)\nwhile True: pass", {},
                               {.on_stdout = [&](std::string_view) { begun.set(); }});
  auto waiting = session.start("1");
  REQUIRE(begun.wait());
  session.close();
  const auto result = running.wait();
  CHECK(result.status == Status::cancelled);
  CHECK(result.cause == Cause::caller);
  CHECK(result.out == "begun\n");
  CHECK(waiting.wait().status == Status::cancelled);

  CHECK(session.run("1").status == Status::cancelled);
  const auto variables = session.variables();
  REQUIRE_FALSE(variables);
  CHECK(variables.error().kind == ErrorKind::unknown_session);
  CHECK(wait_until([&] { return !session.files().has_value(); }));
  session.close();
}

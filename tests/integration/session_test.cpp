// A session's everyday work through the public API.
#include <algorithm>
#include <string>

#include "cellblock/code.hpp"
#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("State lives between runs, and a result tells what a run did") {
  auto session = open_session(shared_executor());
  const auto first = session.run("x = 41\nprint('hello')");
  CHECK(first.status == Status::ok);
  CHECK(first.exit_code == 0);
  CHECK_FALSE(first.cause.has_value());
  CHECK(first.out == "hello\n");
  CHECK(first.session_id == session.id());
  CHECK(first.execution_count == 1);
  CHECK(first.code_sha256.size() == 64);
  CHECK(first.state == State::kept);
  CHECK_THAT(first.variables_summary, ContainsSubstring("x"));
  REQUIRE(first.changes.added.size() == 1);
  CHECK(first.changes.added[0].name == "x");
  CHECK(first.usage.wall_ms > 0);
  CHECK(first.usage.peak_memory_bytes > 0);

  const auto second = session.run("x += 1; x");
  CHECK(second.text == "42");
  CHECK(second.execution_count == 2);
  CHECK(second.execution_id != first.execution_id);
  CHECK(session.run("del x").changes.removed.size() == 1);
}

TEST_CASE("Code over the limit is not run, and the session goes on") {
  auto session = open_session(shared_executor());
  CHECK(session.run("x = 1").status == Status::ok);
  const std::string large(kMaxCodeBytes + 1, '#');
  const auto refused = session.run(large);
  CHECK(refused.status == Status::host_error);
  REQUIRE(refused.error);
  CHECK(refused.error->name == "CodeTooLarge");
  CHECK_THAT(refused.error->value, ContainsSubstring("the limit is 1048576"));
  CHECK(session.start(large).wait().status == Status::host_error);
  CHECK(session.complete(large, 0).error().kind == ErrorKind::too_large);
  CHECK(session.inspect(large, 0).error().kind == ErrorKind::too_large);
  CHECK(session.is_complete(large).error().kind == ErrorKind::too_large);
  CHECK(session.run("x" + large.substr(2)).text == "1");
}

TEST_CASE("What goes wrong in the code is a result") {
  auto session = open_session(shared_executor());
  const auto error = session.run("print('before')\n1 / 0");
  CHECK(error.status == Status::error);
  CHECK(error.cause == Cause::exception);
  CHECK(error.exit_code == 1);
  CHECK(error.out == "before\n");
  REQUIRE(error.error);
  CHECK(error.error->name == "ZeroDivisionError");

  const auto syntax = session.run("def f(:");
  CHECK(syntax.status == Status::error);
  CHECK(syntax.cause == Cause::syntax);

  const auto left = session.run("import sys\nsys.exit(3)");
  CHECK(left.status == Status::exit);
  CHECK(left.cause == Cause::exit);
  CHECK(left.exit_code == 3);
  CHECK(left.state == State::kept);
  CHECK(session.run("1").status == Status::ok);
}

TEST_CASE("A caller's marks come back as they were given") {
  auto session = open_session(shared_executor());
  const auto result = session.run(
      "1", {.trace = {.traceparent = "00-ab-cd-01", .request_id = "r\n1", .tenant = "t"}});
  CHECK(result.trace.traceparent == "00-ab-cd-01");
  CHECK(result.trace.request_id == "r\n1");
  CHECK(result.trace.tenant == "t");
}

TEST_CASE("A run can be started, watched and waited for, more than once") {
  auto session = open_session(shared_executor());
  auto running = session.start(until_file("go") + "7");
  CHECK_FALSE(running.done());
  CHECK_FALSE(running.wait_for(20ms).has_value());
  REQUIRE(session.upload("go", ""));
  const auto result = running.wait();
  CHECK(result.text == "7");
  CHECK(running.done());
  CHECK(running.wait().execution_id == result.execution_id);
  CHECK(running.wait_for(0ms)->text == "7");
  CHECK(running.execution_id() == result.execution_id);
}

TEST_CASE("A started run that nobody holds goes on") {
  auto session = open_session(shared_executor());
  static_cast<void>(session.start("x = 5"));
  CHECK(session.run("x").text == "5");
}

TEST_CASE("A limit that ends a run softly keeps state and output") {
  auto session = open_session(shared_executor());
  REQUIRE(session.run("x = 1").status == Status::ok);
  const auto result =
      session.run("y = 2\nprint('begun', flush=True)\nwhile True: pass", {.timeout = 500ms});
  CHECK(result.status == Status::timeout);
  CHECK(result.cause == Cause::wall_time);
  CHECK(result.exit_code == 124);
  CHECK(result.stopped_by == StoppedBy::sigint);
  CHECK(result.state == State::kept);
  CHECK(result.lost_names.empty());
  CHECK(result.out == "begun\n");
  REQUIRE(result.error);
  CHECK_FALSE(result.error->hint.empty());
  CHECK(result.usage.wall_ms >= 500);
  CHECK(session.run("(x, y)").text == "(1, 2)");
}

TEST_CASE("Code that will not stop is killed, its state lost by name, its workspace kept") {
  SecurityPolicy policy;
  policy.grace = 300ms;
  policy.import_guard = ImportGuard::off;
  auto session = open_session(shared_executor(), policy);
  REQUIRE(session.run("x = 1\nopen('kept', 'w').write('k')").status == Status::ok);
  const auto result = session.run(
      "import signal\n"
      "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
      "print('begun', flush=True)\n"
      "while True: pass",
      {.timeout = 300ms});
  CHECK(result.status == Status::timeout);
  CHECK(result.cause == Cause::wall_time);
  CHECK(result.exit_code == 124);
  CHECK(result.stopped_by == StoppedBy::sigkill);
  CHECK(result.state == State::lost);
  CHECK(result.lost_names == std::vector<std::string>{"x"});
  CHECK(result.out == "begun\n");
  CHECK(result.usage.wall_ms >= 600);

  const auto next = session.run("(open('kept').read(), 'x' in globals())");
  CHECK(next.status == Status::ok);
  CHECK(next.text == "('k', False)");
  // It was told once, by the run that lost it.
  CHECK(next.state == State::kept);
  CHECK(next.session_id == result.session_id);
}

TEST_CASE("A longer limit than the policy's is clamped and told") {
  SecurityPolicy policy;
  policy.timeout = 400ms;
  auto session = open_session(shared_executor(), policy);
  const auto result = session.run("while True: pass", {.timeout = 1h});
  CHECK(result.status == Status::timeout);
  CHECK(result.policy_events.at("timeout_clamped") == 1);
  CHECK(session.run("1", {.timeout = 300ms}).policy_events.empty());
  CHECK(session.run("1", {.timeout = 400ms}).policy_events.empty());
}

TEST_CASE("A flood of output is bounded, counted and paged") {
  SecurityPolicy policy;
  policy.spool_bytes = 1 << 20;
  auto session = open_session(shared_executor(), policy);
  const auto result = session.run("for i in range(40000): print('%06d' % i)");
  REQUIRE(result.out_truncated);
  CHECK(result.out_truncated->total_bytes == 280'000);
  CHECK_FALSE(result.err_truncated.has_value());
  CHECK(result.out.size() < 16'384 + 200);
  CHECK(result.out.starts_with("000000\n"));
  CHECK(result.out.ends_with("039999\n"));
  const auto shown = result.out.size() - result.out.find("\n[output was truncated at 16 KB: ");
  CHECK(shown < result.out.size());

  std::string whole;
  OutputQuery query{.execution_id = result.execution_id, .limit = 10'000};
  for (int pages = 0; query.offset < 280'000 && pages < 100; ++pages) {
    const auto page = session.output(query);
    REQUIRE(page);
    CHECK(page->total_bytes == 280'000);
    whole += page->text;
    query.offset = page->next_offset;
  }
  CHECK(whole.size() == 280'000);
  CHECK(whole.starts_with("000000\n000001\n"));
  const auto matching = session.output({.execution_id = result.execution_id,
                                        .offset = 270'200,
                                        .limit = 1 << 20,
                                        .pattern = "^03999[89]$"});
  REQUIRE(matching);
  CHECK(matching->text == "039998\n039999\n");
  const auto unknown = session.output({.execution_id = "x-none"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::bad_argument);
  CHECK(session.output({.execution_id = result.execution_id, .stream = OutputStream::err})
            ->total_bytes == 0);
}

TEST_CASE("What a background thread writes after its cell is told as late, once") {
  auto session = open_session(shared_executor());
  const auto first = session.run(
      "import threading, os, time, sys\n"
      "def later():\n"
      "    while not os.path.exists('go'): time.sleep(0.005)\n"
      "    print('late words')\n"
      "    print('late error', file=sys.stderr)\n"
      "    sys.stdout.flush()\n"
      "    open('done', 'w').close()\n"
      "threading.Thread(target=later, daemon=True).start()\n"
      "print('in time')");
  REQUIRE(first.status == Status::ok);
  CHECK(first.out == "in time\n");
  REQUIRE(session.upload("go", ""));
  REQUIRE(wait_until([&] {
    const auto files = *session.files();
    return std::any_of(files.begin(), files.end(), [](const auto& f) { return f.path == "done"; });
  }));
  const auto second = session.run("print('second')");
  CHECK(second.late_out == "late words\n");
  CHECK(second.late_err == "late error\n");
  CHECK(second.out == "second\n");
  CHECK(session.run("1").late_out.empty());
}

TEST_CASE("A reset gives a fresh namespace in the same workspace") {
  auto session = open_session(shared_executor());
  REQUIRE(session.run("x = 1\nopen('kept', 'w').close()").status == Status::ok);
  REQUIRE(session.reset());
  CHECK(session.variables()->empty());
  const auto result = session.run("import os\n('x' in globals(), os.path.exists('kept'))");
  CHECK(result.text == "(False, True)");
  CHECK(result.state == State::kept);
}

TEST_CASE("Variables, completions, documentation and completeness are had without running") {
  auto session = open_session(shared_executor());
  REQUIRE(
      session.run("apples = [1, 2]\napricots = 'a'\ndef area(side):\n    'Side by side.'").status ==
      Status::ok);
  const auto variables = session.variables();
  REQUIRE(variables);
  CHECK(std::any_of(variables->begin(), variables->end(),
                    [](const Variable& v) { return v.name == "apples" && v.type == "list"; }));
  const auto completion = session.complete("ap", 2);
  REQUIRE(completion);
  CHECK(has(completion->matches, "apples"));
  CHECK(has(completion->matches, "apricots"));
  CHECK(completion->start == 0);
  CHECK(completion->end == 2);
  const auto inspection = session.inspect("area", 4);
  REQUIRE(inspection);
  CHECK(inspection->found);
  CHECK_THAT(inspection->text, ContainsSubstring("Side by side."));
  CHECK_FALSE(session.inspect("nothing_here", 3)->found);
  CHECK(session.is_complete("1 + 1")->status == "complete");
  CHECK(session.is_complete("for i in x:")->status == "incomplete");
  CHECK_FALSE(session.is_complete("for i in x:")->indent.empty());
  CHECK(session.is_complete("a b c")->status == "invalid");
  // None of these is an execution.
  CHECK(session.run("1").execution_count == 2);
}

TEST_CASE("A question waits for the run before it") {
  auto session = open_session(shared_executor());
  auto running = session.start(until_file("go") + "x = 1");
  std::thread opener([&] { REQUIRE(session.upload("go", "")); });
  const auto variables = session.variables();
  opener.join();
  REQUIRE(variables);
  CHECK(std::any_of(variables->begin(), variables->end(),
                    [](const Variable& v) { return v.name == "x"; }));
  CHECK(running.wait().status == Status::ok);
}

TEST_CASE("One session in a loop does not hold up another") {
  auto looping = open_session(shared_executor());
  auto other = open_session(shared_executor());
  Flag begun;
  auto running = looping.start("print('begun', flush=True)\nwhile True: pass", {},
                               {.on_stdout = [&](std::string_view) { begun.set(); }});
  REQUIRE(begun.wait());
  for (int i = 0; i < 20; ++i) {
    CHECK(other.run(std::to_string(i) + " + 1").text == std::to_string(i + 1));
    CHECK(other.variables().has_value());
  }
  CHECK_FALSE(running.done());
  running.interrupt();
  CHECK(running.wait().status == Status::cancelled);
}

TEST_CASE("Every result lists the variables, also of a run that changes none") {
  auto session = open_session(shared_executor());
  session.run("x = 1");
  CHECK(session.run("x").variables_summary == "x: int = 1");
  CHECK(session.run("1 / 0").variables_summary == "x: int = 1");
  REQUIRE(session.reset());
  CHECK(session.run("1").variables.empty());
  session.run("y = 2");
  session.run("import os; os._exit(3)");
  CHECK(session.run("1").variables.empty());
}

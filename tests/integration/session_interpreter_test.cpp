// Forked sessions whose code runs in a subinterpreter.
#include <string>

#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

namespace {

SecurityPolicy in_subinterpreter() {
  SecurityPolicy policy;
  policy.interpreter = Interpreter::sub;
  policy.grace = 400ms;
  return policy;
}

}  // namespace

TEST_CASE("A session in a subinterpreter runs cells as any other") {
  auto session = open_session(shared_executor(), in_subinterpreter());
  const auto first = session.run(
      "import os\nx = 41\nprint('hello', os.getcwd() == os.path.realpath(os.environ['HOME']))\nx");
  CHECK(first.text == "41");
  CHECK(first.out == "hello True\n");
  CHECK_THAT(first.variables_summary, ContainsSubstring("x: int"));
  CHECK(session.run("x + 1").text == "42");
  CHECK(session.run("import asyncio\nawait asyncio.sleep(0)\n5").text == "5");
  const auto failed = session.run("1 / 0");
  REQUIRE(failed.error);
  CHECK(failed.error->name == "ZeroDivisionError");
  CHECK(session.run("import subprocess").cause == Cause::import_refused);
  CHECK(session.run("import sys\nsys.exit(3)").exit_code == 3);
  CHECK(session.run("x").text == "41");
}

TEST_CASE("A loop in a subinterpreter is interrupted and the session kept") {
  auto session = open_session(shared_executor(), in_subinterpreter());
  CHECK(session.run("x = 1").status == Status::ok);
  const auto result = session.run("while True: pass", {.timeout = 300ms});
  CHECK(result.status == Status::timeout);
  CHECK(result.stopped_by == StoppedBy::sigint);
  CHECK(result.state == State::kept);
  CHECK(session.run("x").text == "1");
}

TEST_CASE("What swallows interrupts in a subinterpreter is killed, and the next cell runs") {
  auto session = open_session(shared_executor(), in_subinterpreter());
  const auto result = session.run(
      "def spin():\n    while True: pass\n"
      "while True:\n    try:\n        spin()\n    except BaseException: pass",
      {.timeout = 200ms});
  CHECK(result.status == Status::timeout);
  CHECK(result.stopped_by == StoppedBy::sigkill);
  CHECK(session.run("1 + 1").text == "2");
}

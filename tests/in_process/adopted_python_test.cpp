// Sessions in a host program that has started Python itself, and holds its GIL when it calls.
#include <Python.h>

#include <chrono>
#include <memory>
#include <string>

#include "cellblock/cellblock.hpp"
#include "support/catch.hpp"

namespace cellblock {
namespace {

using namespace std::chrono_literals;

SecurityPolicy policy_of(Interpreter interpreter) {
  SecurityPolicy policy;
  policy.isolation = Isolation::none;
  policy.interpreter = interpreter;
  return policy;
}

bool evaluate(const char* code) { return PyRun_SimpleString(code) == 0; }

}  // namespace

TEST_CASE("A host program's Python goes on as it was, before, between and after sessions") {
  if (Py_IsInitialized() != 0) {
    WARN("This does not apply after another test of the process; ctest runs each file alone");
    return;
  }
  Py_Initialize();
  REQUIRE(
      evaluate("import sys, json\nhosts = sys.stdout, sys.modules['__main__']\nx = 'hosts'\n"
               "importer = __builtins__.__import__; finders = list(sys.meta_path)"));
  {
    auto executor = Executor::create(ExecutorKind::in_process);
    REQUIRE(executor);
    for (const auto interpreter : {Interpreter::main, Interpreter::sub}) {
      auto session = (*executor)->open_session(policy_of(interpreter));
      if (!session) FAIL(session.error().message);
      const auto result = session->run("x = 'sessions'\nprint(x)\nx");
      CHECK(result.text == "'sessions'");
      CHECK(result.out == "sessions\n");
      CHECK(session->run("import subprocess").cause == Cause::import_refused);
      CHECK(session->run("while True: pass", {.timeout = 200ms}).status == Status::timeout);
      CHECK(session->run("x").text == "'sessions'");
      CHECK(evaluate("assert x == 'hosts' and hosts == (sys.stdout, sys.modules['__main__'])"));
      CHECK(evaluate("import subprocess, socket, ctypes"));
      CHECK(evaluate("assert importer is __builtins__.__import__ and finders == sys.meta_path"));
      CHECK(evaluate("import os; assert os.system('true') == 0"));
    }
  }
  CHECK(evaluate("assert json.dumps([x]) == '[\"hosts\"]'"));
}

}  // namespace cellblock

// Sessions in the host's process, where the library starts Python.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cellblock/cellblock.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace cellblock {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::unique_ptr<Executor> make_executor() {
  auto executor = Executor::create(ExecutorKind::in_process);
  REQUIRE(executor);
  return *std::move(executor);
}

SecurityPolicy policy_of(Interpreter interpreter) {
  SecurityPolicy policy;
  policy.isolation = Isolation::none;
  policy.interpreter = interpreter;
  policy.timeout = 10s;
  return policy;
}

Session open(Executor& executor, const SecurityPolicy& policy) {
  auto session = executor.open_session(policy);
  if (!session) FAIL(session.error().message);
  return *std::move(session);
}

std::string text_of(Session& session, std::string_view code) {
  const auto result = session.run(code);
  return result.error ? result.error->name + ": " + result.error->value
                      : result.text.value_or("(none)");
}

bool has_own_gil() {
  const auto info = make_executor()->info();
  REQUIRE(info);
  return std::stoi(info->python_version.substr(2)) >= 12;
}

}  // namespace

TEST_CASE("A context is one more interpreter with the same workspace") {
  const auto executor = make_executor();
  for (const auto interpreter : {Interpreter::sub, Interpreter::main}) {
    auto session = open(*executor, policy_of(interpreter));
    CHECK(text_of(session, "x = 1\nopen('a', 'w').write('shared')") == "6");
    auto context = session.open_context();
    REQUIRE(context);
    CHECK(text_of(*context, "'x' in globals(), open('a').read()") == "(False, 'shared')");
    session.close();
    CHECK(text_of(*context, "open('a').read()") == "'shared'");
  }
}

TEST_CASE("A cell runs in either interpreter with the results of any session") {
  const auto executor = make_executor();
  for (const auto interpreter : {Interpreter::sub, Interpreter::main}) {
    auto session = open(*executor, policy_of(interpreter));
    const auto result = session.run(
        "import sys\nx = 20\nprint('out')\nprint('err', file=sys.stderr)\n"
        "open('made.txt', 'w').write('abc')\nx + 1");
    CHECK(result.status == Status::ok);
    CHECK(result.text == "21");
    CHECK(result.out == "out\n");
    CHECK(result.err == "err\n");
    CHECK(result.variables_summary.find("x: int") != std::string::npos);
    REQUIRE(result.files.created.size() == 1);
    CHECK(result.files.created[0].path == "made.txt");
    CHECK(text_of(session, "x") == "20");
    const auto failed = session.run("def f():\n    return 1 / 0\nf()");
    CHECK(failed.status == Status::error);
    REQUIRE(failed.error);
    CHECK(failed.error->name == "ZeroDivisionError");
    CHECK(failed.error->traceback.find("return 1 / 0") != std::string::npos);
    CHECK(session.run("import sys\nsys.exit(3)").exit_code == 3);
    CHECK(session.run("import asyncio\nawait asyncio.sleep(0)\n7").text == "7");
    CHECK_FALSE(session.complete("xyz = 1; pri", 12)->matches.empty());
    CHECK(session.reset());
    CHECK(text_of(session, "'x' in globals()") == "False");
  }
}

TEST_CASE("It says that it does not isolate, and refuses a policy that requires it") {
  const auto executor = make_executor();
  auto session = open(*executor, policy_of(Interpreter::sub));
  CHECK(session.isolation().level == "none");
  CHECK(session.run("1").isolation.level == "none");
  auto policy = policy_of(Interpreter::sub);
  policy.isolation = Isolation::required;
  const auto refused = executor->open_session(policy);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::isolation_unavailable);
  CHECK(executor->info()->executor == "in_process");
}

TEST_CASE("Sessions do not see each other's names, modules and output, nor the host's folder") {
  const auto executor = make_executor();
  const auto folder = std::filesystem::current_path();
  for (const auto interpreter : {Interpreter::sub, Interpreter::main}) {
    auto one = open(*executor, policy_of(interpreter));
    auto two = open(*executor, policy_of(interpreter));
    CHECK(one.run("name = 'one'\nimport json\nopen('f', 'w').close()").status == Status::ok);
    CHECK(two.run("name = 'two'\nprint('second')").out == "second\n");
    CHECK(text_of(one, "name") == "'one'");
    CHECK(text_of(two, "import os\nos.listdir()") == "[]");
    CHECK(text_of(one, "import __main__\n__main__.name") == "'one'");
    CHECK(std::filesystem::current_path() == folder);
  }
  ::setenv("CELLBLOCK_TEST_OF_HOST", "yes", 1);
  auto policy = policy_of(Interpreter::sub);
  policy.env = {{"GIVEN", "1"}};
  auto session = open(*executor, policy);
  CHECK(
      text_of(session, "import os\nos.environ['GIVEN'], 'CELLBLOCK_TEST_OF_HOST' in os.environ") ==
      "('1', False)");
  CHECK(session.run("os.environ['CELLBLOCK_OF_SESSION'] = 'x'").status == Status::ok);
  CHECK(::getenv("CELLBLOCK_OF_SESSION") == nullptr);
}

TEST_CASE("Two sessions with two policies judge imports apart, in one process") {
  const auto executor = make_executor();
  for (const auto interpreter : {Interpreter::sub, Interpreter::main}) {
    auto narrow_policy = policy_of(interpreter);
    narrow_policy.allowed_imports = {"math"};
    auto wide_policy = policy_of(interpreter);
    wide_policy.allowed_imports = {"json", "socket"};
    auto off_policy = policy_of(interpreter);
    off_policy.import_guard = ImportGuard::off;
    auto narrow = open(*executor, narrow_policy);
    auto wide = open(*executor, wide_policy);
    auto off = open(*executor, off_policy);
    for (int i = 0; i < 2; ++i) {
      CHECK(narrow.run("import math").status == Status::ok);
      CHECK(narrow.run("import json").cause == Cause::import_refused);
      CHECK(narrow.run("exec('import socket')").cause == Cause::import_refused);
      CHECK(wide.run("import json, socket\nsocket.gethostname()").status == Status::ok);
      const auto refused = wide.run("import math");
      CHECK(refused.cause == Cause::import_refused);
      CHECK(refused.policy_events.at("import:math") == 1);
      CHECK(off.run("import subprocess, ftplib").status == Status::ok);
    }
    const auto denied = wide.run("import json\n[json.codecs.sys.modules['os']][0].system('true')");
    REQUIRE(denied.error);
    CHECK(denied.error->name == "PermissionError");
  }
}

TEST_CASE("A loop that listens ends at its deadline and keeps its session") {
  const auto executor = make_executor();
  for (const auto interpreter : {Interpreter::sub, Interpreter::main}) {
    auto session = open(*executor, policy_of(interpreter));
    CHECK(session.run("kept = 1").status == Status::ok);
    const auto start = Clock::now();
    const auto result = session.run("print('begun')\nwhile True: pass", {.timeout = 300ms});
    CHECK(Clock::now() - start < 2s);
    CHECK(result.status == Status::timeout);
    CHECK(result.cause == Cause::wall_time);
    CHECK(result.stopped_by == StoppedBy::sigint);
    CHECK(result.out == "begun\n");
    CHECK(text_of(session, "kept") == "1");
    CHECK(executor->info()->parked_threads == 0);
  }
}

TEST_CASE("A loop that swallows interrupts is given up on time, and stopped when it listens") {
  const auto executor = make_executor();
  auto policy = policy_of(Interpreter::sub);
  policy.grace = 200ms;
  auto session = open(*executor, policy);
  const auto start = Clock::now();
  const auto result = session.run(
      "import time\nend = time.monotonic() + 3\nlost = 1\n"
      "def spin():\n    while time.monotonic() < end: pass\n"
      "while time.monotonic() < end:\n    try:\n        spin()\n    except BaseException: pass",
      {.timeout = 300ms});
  CHECK(Clock::now() - start < 2s);
  CHECK(result.status == Status::timeout);
  CHECK(result.state == State::lost);
  CHECK(executor->info()->parked_threads == 1);
  CHECK(text_of(session, "'lost' in globals()") == "False");
  const auto bound = Clock::now() + 20s;
  while (executor->info()->parked_threads > 0 && Clock::now() < bound) {
    std::this_thread::yield();
  }
  CHECK(executor->info()->parked_threads == 0);
}

TEST_CASE("C code that does not listen loses its session on time and the host goes on") {
  const auto executor = make_executor();
  auto policy = policy_of(Interpreter::sub);
  policy.grace = 100ms;
  auto session = open(*executor, policy);
  auto other = open(*executor, policy);
  const auto start = Clock::now();
  const auto result = session.run("import time\ntime.sleep(5)", {.timeout = 200ms});
  CHECK(Clock::now() - start < 2s);
  CHECK(result.status == Status::timeout);
  CHECK(result.state == State::lost);
  CHECK(executor->info()->parked_threads == 1);
  CHECK(text_of(other, "1 + 1") == "2");
  CHECK(text_of(session, "2 + 2") == "4");
}

TEST_CASE("Two sessions with a GIL each compute at the same time") {
  if (!has_own_gil()) {
    WARN("This does not apply: interpreters share one GIL before CPython 3.12");
    return;
  }
  const auto executor = make_executor();
  auto policy = policy_of(Interpreter::sub);
  policy.timeout = 60s;
  auto one = open(*executor, policy);
  auto two = open(*executor, policy);
  // Each keeps its GIL until it sees the other's mark: with one GIL for both the other would have
  // to wait for it.
  const test::ScratchFolder scratch;
  const std::string marks = scratch / "marks";
  std::ofstream(marks) << std::string(2, '\0');
  const auto rendezvous = [&](int mine, int other) {
    return "import mmap, sys, time\n"
           "sys.setswitchinterval(1e6)\n"
           "with open('" +
           marks +
           "', 'r+b') as file: marks = mmap.mmap(file.fileno(), 2)\n"
           "end = time.monotonic() + 50\n"
           "marks[" +
           std::to_string(mine) +
           "] = 1\n"
           "while not marks[" +
           std::to_string(other) +
           "] and time.monotonic() < end: pass\n"
           "marks[" +
           std::to_string(other) + "]";
  };
  auto first = one.start(rendezvous(0, 1));
  auto second = two.start(rendezvous(1, 0));
  CHECK(first.wait().text == "1");
  CHECK(second.wait().text == "1");
}

TEST_CASE("What an interpreter of its own cannot load is told with the one that can") {
  const auto executor = make_executor();
  auto session = open(*executor, policy_of(Interpreter::sub));
  const auto result = session.run("import numpy");
  if (result.status == Status::ok) {
    WARN("This does not apply: the first interpreter to load this numpy may be any");
    return;
  }
  REQUIRE(result.error);
  if (result.error->name == "ModuleNotFoundError") {
    WARN("This does not apply: numpy is not installed for this Python");
    return;
  }
  INFO(result.error->value);
  CHECK(result.error->hint.find("interpreter \"main\"") != std::string::npos);
  auto main = open(*executor, policy_of(Interpreter::main));
  CHECK(text_of(main, "import numpy\nint(numpy.arange(4).sum())") == "6");
}

TEST_CASE("An interpreter serves one session after another and keeps nothing of them in modules") {
  const auto executor = make_executor();
  for (int i = 0; i < 5; ++i) {
    auto session = open(*executor, policy_of(Interpreter::sub));
    CHECK(text_of(session,
                  "import json, sys, builtins, os, atexit\n"
                  "(hasattr(json, 'mark'), 'mark' in sys.path, hasattr(builtins, 'mark'),\n"
                  " 'MARK' in os.environ, 'left' in sys.modules, json.dumps([1]))") ==
          "(False, False, False, False, False, '[1]')");
    CHECK(session
              .run("json.mark = 1; sys.path.append('mark'); builtins.mark = 1\n"
                   "os.environ['MARK'] = '1'; sys.modules['left'] = json; json.dumps = None\n"
                   "builtins.len = None; sys.stdout = None; sys.meta_path.clear()")
              .status == Status::ok);
  }
}

TEST_CASE("An interpreter's settings are those of a new one for the next session") {
  const auto executor = make_executor();
  const std::string settings =
      "import gc, sys, warnings\n"
      "sys.getswitchinterval(), sys.getrecursionlimit(), sys.get_int_max_str_digits(), "
      "gc.isenabled(), gc.get_threshold(), len(warnings.filters)";
  std::string first;
  for (int i = 0; i < 3; ++i) {
    auto session = open(*executor, policy_of(Interpreter::sub));
    const std::string found = text_of(session, settings);
    if (first.empty()) first = found;
    CHECK(found == first);
    CHECK(session
              .run("sys.setswitchinterval(3); sys.setrecursionlimit(500); gc.disable()\n"
                   "sys.set_int_max_str_digits(1000); gc.set_threshold(5)\n"
                   "warnings.simplefilter('error')")
              .status == Status::ok);
    CHECK(text_of(session, settings) != first);
  }
}

TEST_CASE("Opening and closing many sessions keeps descriptors and memory bounded") {
  const auto executor = make_executor();
  const auto cycle = [&](int sessions) {
    for (int i = 0; i < sessions; ++i) {
      auto session = open(*executor, policy_of(Interpreter::sub));
      CHECK(text_of(session, "1 + 1") == "2");
    }
  };
  const auto descriptors = [] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      (void)entry;
      ++count;
    }
    return count;
  };
  const auto resident_kib = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
    }
    return 0L;
  };
  cycle(70);
  const auto before = descriptors();
  const auto memory = resident_kib();
  constexpr int kSessions = 300;
  cycle(kSessions);
  const auto grown = resident_kib() - memory;
  WARN(kSessions << " sessions: " << grown / kSessions << " KiB more resident for each");
  CHECK(grown / kSessions < 150);
  const auto bound = Clock::now() + 20s;
  while (descriptors() > before + 12 && Clock::now() < bound) std::this_thread::yield();
  CHECK(descriptors() <= before + 12);
}

TEST_CASE("The host's own streams are left alone") {
  const auto executor = make_executor();
  struct stat before {};
  struct stat after {};
  REQUIRE(::fstat(STDOUT_FILENO, &before) == 0);
  auto session = open(*executor, policy_of(Interpreter::main));
  CHECK(session.run("print('into the result')").out == "into the result\n");
  REQUIRE(::fstat(STDOUT_FILENO, &after) == 0);
  CHECK(before.st_ino == after.st_ino);
}

}  // namespace cellblock

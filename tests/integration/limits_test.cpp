// Each limit: what ends at it, what the caller is told, and that the session goes on.
#include <algorithm>
#include <string>
#include <vector>

#include "integration/limited_runs.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

// --- what ends a run, and what is said of it -----------------------------------------------------

TEST_CASE("Every limit has its status, its cause and a hint to act on") {
  struct Case {
    const char* name;
    std::string code;
    Status status;
    Cause cause;
    int exit_code;
    std::string hint;
  };
  // From 3.12 on CPython stops at a depth of C code of its own, before the stack ends.
  const bool ends_at_stack = shared_executor().info()->python_version.starts_with("3.11.");
  const std::vector<Case> cases{
      {"an error", "1 / 0", Status::error, Cause::exception, 1, ""},
      {"no Python", "for in", Status::error, Cause::syntax, 1, ""},
      {"an exit", "import sys\nsys.exit(9)", Status::exit, Cause::exit, 9, ""},
      {"os._exit", "import os\nos._exit(9)", Status::exit, Cause::exit, 9, "sys.exit()"},
      {"open files", "files = [open('f', 'w') for _ in range(10 ** 6)]", Status::error,
       Cause::open_files, 1, "close"},
      {"a file's size",
       "with open('big', 'wb') as file:\n    for _ in range(64): file.write(b'b' * (1 << 20))",
       Status::error, Cause::file_size, 1, "smaller"},
      {"a child process", "import os\nos.fork()", Status::error, Cause::denied_syscall, 1,
       "no child processes"},
      {"a denied call", "import os\nos.nice(-20)", Status::error, Cause::denied_syscall, 1,
       "sandbox"},
      {"a socket", "import socket\nsocket.socket()", Status::error, Cause::denied_syscall, 1,
       "no network"},
      {"recursion", "def f(): return f()\nf()", Status::error, Cause::stack_overflow, 1,
       "recursion"},
      {"a stack overflow",
       "import sys\nsys.setrecursionlimit(10 ** 9)\n"
       "class Deep:\n    def __getattr__(self, name): return getattr(self, name + 'x')\n"
       "Deep().a",
       ends_at_stack ? Status::crashed : Status::error, Cause::stack_overflow,
       ends_at_stack ? 139 : 1, "recursion"},
      {"input", "input()", Status::error, Cause::exception, 1, "assign the value"},
      {"SIGSEGV", "import ctypes\nctypes.string_at(0)", Status::crashed, Cause::signal, 139,
       "Native code"},
      {"SIGABRT", "import os\nos.abort()", Status::crashed, Cause::signal, 134, "Native code"},
      {"SIGFPE", "import os, signal\nos.kill(os.getpid(), signal.SIGFPE)", Status::crashed,
       Cause::signal, 136, "Native code"},
      {"SIGBUS", "import os, signal\nos.kill(os.getpid(), signal.SIGBUS)", Status::crashed,
       Cause::signal, 135, "Native code"},
      {"SIGTERM", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nwhile True: pass",
       Status::crashed, Cause::signal, 143, "fresh process"},
      {"a broken channel", "import os\nos.close(3)", Status::crashed, Cause::protocol, 137,
       "descriptors"},
      {"all descriptors closed", "import os\nos.closerange(0, 1024)", Status::crashed,
       Cause::protocol, 137, "descriptors"},
  };
  auto policy = bare_policy();
  policy.max_open_files = 64;
  policy.max_file_bytes = 8ULL << 20;
  for (const Case& one : cases) {
    INFO(one.name);
    auto session = open_session(shared_executor(), policy);
    const auto result = session.run(one.code);
    INFO(result.to_json());
    CHECK(result.status == one.status);
    REQUIRE(result.cause);
    CHECK(*result.cause == one.cause);
    CHECK(result.exit_code == one.exit_code);
    const bool gone = one.status == Status::crashed || std::string(one.name) == "os._exit";
    CHECK(result.state == (gone ? State::lost : State::kept));
    if (!one.hint.empty()) {
      REQUIRE(result.error);
      CHECK_THAT(result.error->hint, ContainsSubstring(one.hint));
    }
    if (one.cause == Cause::signal) {
      CHECK(result.error->name == one.name);
      if (one.hint == "Native code") {
        CHECK_THAT(result.error->traceback, ContainsSubstring("File \"<cell 1>\", line"));
      }
    }
    CHECK(session.run("6 * 7").text == "42");
  }
}

TEST_CASE("A full workspace is told as such, and room can be made again") {
  auto policy = bare_policy();
  policy.workspace_bytes = 4ULL << 20;
  auto session = open_session(shared_executor(), policy);
  const auto result = session.run(
      "with open('f', 'wb') as file:\n"
      "    for _ in range(32): file.write(b'f' * (1 << 20))");
  const auto layers = session.isolation().layers;
  const bool in_memory = std::any_of(layers.begin(), layers.end(), [](const Layer& layer) {
    return layer.name == "mounts" && layer.on;
  });
  if (!in_memory) CELLBLOCK_SKIP("no workspace in memory can be made here");
  CHECK(result.status == Status::error);
  CHECK(result.cause == Cause::disk_full);
  CHECK_THAT(result.error->hint, ContainsSubstring("delete files"));
  CHECK(session.run("import os\nos.remove('f')\nopen('g', 'w').write('room')").text == "4");
}

TEST_CASE("Children up to the policy's number are had, and one more is told") {
  auto policy = bare_policy();
  policy.max_processes = 2;
  policy.max_threads = 2;
  auto session = open_session(shared_executor(), policy);
  const auto result = session.run(
      "import os, time\nchildren = []\n"
      "while len(children) < 50:\n"
      "    child = os.fork()\n"
      "    if child == 0:\n        time.sleep(60)\n        os._exit(0)\n"
      "    children.append(child)");
  const auto layers = session.isolation().layers;
  const bool counted = std::any_of(layers.begin(), layers.end(), [](const Layer& layer) {
    return layer.name == "cgroup" && layer.on;
  });
  if (!counted) CELLBLOCK_SKIP("no control group can be made here");
  INFO(result.to_json());
  CHECK(result.status == Status::error);
  CHECK(result.cause == Cause::processes);
  CHECK(session.run("len(children) <= 4").text == "True");
}

TEST_CASE("A memory limit is told, with the hint to work in chunks, and the session goes on") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  auto policy = bare_policy();
  policy.max_memory_bytes = 64ULL << 20;
  auto session = open_session(shared_executor(), policy);
  for (const char* code :
       {"x = 'a' * 10 ** 11",
        "import mmap\nmmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
        "hoard = []\nwhile True: hoard.append(bytearray(10_000_000))"}) {
    INFO(code);
    const auto result = session.run(code);
    INFO(result.to_json());
    CHECK((result.status == Status::error || result.status == Status::memory_limit));
    CHECK(result.cause == Cause::memory);
    CHECK_THAT(result.error->hint, ContainsSubstring("The limit is 64 MiB, the peak was "));
    CHECK_THAT(result.error->hint, ContainsSubstring("chunks"));
    CHECK(session.run("hoard = None\n1").text == "1");
  }
}

TEST_CASE("Memory that is filled by small pieces is told, and a cell that frees it still runs") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  auto policy = bare_policy();
  policy.max_memory_bytes = 64ULL << 20;
  const std::vector<std::string> fillings{
      "L = []\nwhile True: L.append(object())",
      "L = {}\ni = 0\nwhile True: i += 1; L[i] = str(i)",
      "L = set()\nfor i in range(10 ** 9): L.add(str(i))",
      "L = []\ntry:\n    while True: L.append(bytearray(4096))\nexcept MemoryError: pass",
      "L = []\ntry:\n    while True: L.append(str(len(L)))\nexcept MemoryError: pass",
  };
  for (const std::string& code : fillings) {
    INFO(code);
    auto session = open_session(shared_executor(), policy);
    const auto filled = session.run(code);
    const bool is_caught = code.find("except") != std::string::npos;
    CHECK(filled.state == State::kept);
    CHECK(filled.status == (is_caught ? Status::ok : Status::error));
    if (!is_caught) CHECK(filled.cause == Cause::memory);
    const auto freed = session.run("del L");
    INFO((freed.error ? freed.error->traceback : ""));
    CHECK(freed.status == Status::ok);
    CHECK(session.run("sum(range(1000))").text == "499500");
  }
}

TEST_CASE("A row loop is told to vectorise, also when it had to be killed") {
  auto session = open_session(shared_executor(), bare_policy());
  const std::string rows =
      "class Frame:\n    def iterrows(self):\n        while True: yield 1, 2\nframe = Frame()\n";
  const auto soft = run_in(session, rows + "for i, row in frame.iterrows(): pass", 200ms);
  CHECK(soft.stopped_by == StoppedBy::sigint);
  CHECK_THAT(soft.error->hint, ContainsSubstring("df.groupby()"));
  const auto hard = run_in(session,
                           rows +
                               "while True:\n    try:\n"
                               "        for i, row in frame.iterrows(): pass\n"
                               "    except BaseException: pass",
                           200ms);
  CHECK(hard.stopped_by == StoppedBy::sigkill);
  CHECK_THAT(hard.error->hint, ContainsSubstring("vectorise"));
}

// --- output --------------------------------------------------------------------------------------

TEST_CASE("Huge values and errors are bounded, and cost no more than the session has") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  auto policy = bare_policy();
  policy.max_memory_bytes = 2ULL << 30;
  auto session = open_session(shared_executor(), policy);
  for (const char* code : {"'x' * (1 << 29)", "[[0] * 1000] * 100_000", "b'x' * (1 << 29)",
                           "{n: 'v' * 1000 for n in range(200_000)}", "10 ** 2_000_000",
                           "raise ValueError('x' * (1 << 30))", "raise KeyError('x' * (1 << 29))",
                           "class Loud(Exception):\n    def __str__(self): return 'x' * (1 << 29)\n"
                           "raise Loud()",
                           "class Wide:\n    def __repr__(self): return 'x' * (1 << 29)\nWide()"}) {
    INFO(code);
    const auto result = session.run(code);
    CHECK((result.status == Status::ok || result.cause == Cause::exception));
    CHECK(result.to_json().size() < 200'000);
    CHECK(session.run("_ = None\n1").text == "1");
  }
}

TEST_CASE("Kept output is read by range and by pattern") {
  auto session = open_session(shared_executor(), bare_policy());
  const auto result = session.run("for n in range(20_000): print('row', n)");
  REQUIRE(result.out_truncated);
  OutputQuery query{.execution_id = result.execution_id};
  std::string whole;
  while (true) {
    const auto page = session.output(query);
    REQUIRE(page);
    whole += page->text;
    query.offset = page->next_offset;
    if (page->next_offset == page->total_bytes) break;
  }
  CHECK(whole.size() == result.out_truncated->total_bytes);
  CHECK_THAT(whole, Catch::Matchers::EndsWith("row 19999\n"));
  for (const char* pattern : {"^row 19998$", "ow 19998"}) {
    const auto found =
        session.output({.execution_id = result.execution_id, .limit = 16, .pattern = pattern});
    REQUIRE(found);
    CHECK(found->text == "row 19998\n");
  }
}

TEST_CASE("A thread that finds no room for its stack is told as a matter of memory") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  auto policy = bare_policy();
  policy.max_memory_bytes = 64ULL << 20;
  auto session = open_session(shared_executor(), policy);
  const auto result = session.run(
      "import threading\n"
      "kept = []\n"
      "try:\n"
      "    while True: kept.append(bytes(1 << 20))\n"
      "except MemoryError: pass\n"
      "threading.Thread(target=print).start()");
  INFO(result.to_json());
  CHECK(result.cause == Cause::memory);
  REQUIRE(result.error);
  CHECK(result.error->name == "RuntimeError");
  CHECK_THAT(result.error->hint, ContainsSubstring("The limit is 64 MiB"));
  CHECK(session.run("kept.clear()\nthreading.Thread(target=print).start()").status == Status::ok);
}

// Contexts: sessions that share one cage.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

constexpr const char* kStubborn =
    "import time\nwhile True:\n    try: time.sleep(60)\n    except BaseException: pass";

Session open_context(Session& of) {
  auto context = of.open_context();
  if (!context) throw std::runtime_error(context.error().message);
  return *std::move(context);
}

SecurityPolicy impatient() {
  SecurityPolicy policy;
  policy.grace = 200ms;
  return policy;
}

std::vector<std::string> paths(const std::vector<FileInfo>& files) {
  std::vector<std::string> list;
  for (const FileInfo& file : files) list.push_back(file.path);
  return list;
}

bool is_on(const Session& session, const char* layer) {
  return layer_of(session.isolation(), layer).on;
}

/// Its process ends without an answer, so that its next run starts another.
void exit_of(Session& session) {
  const auto result = session.run("import os\nos._exit(0)");
  CHECK(result.state == State::lost);
}

}  // namespace

TEST_CASE("A context has variables of its own and the same files") {
  auto session = open_session(shared_executor());
  REQUIRE(session.run("import os\nx = 1\nopen('a', 'w').write('first')").status == Status::ok);
  auto context = open_context(session);
  CHECK(context.id() != session.id());
  CHECK(context.run("'x' in globals()").text == "False");
  CHECK(context.run("open('a').read()").text == "'first'");
  CHECK(context.run("x = 2\nopen('b', 'w').write('second')").session_id == context.id());
  CHECK(session.run("x, open('b').read()").text == "(1, 'second')");
  CHECK(context.run("__name__, x").text == "('__main__', 2)");
  CHECK(paths(*session.files()) == paths(*context.files()));
  REQUIRE(session.upload("c", "uploaded"));
  CHECK(*context.download("c") == "uploaded");
  CHECK(context.isolation().level == session.isolation().level);
  CHECK(context.isolation().layers.size() == session.isolation().layers.size());
  for (const Layer& layer : session.isolation().layers) {
    INFO(layer.name);
    CHECK(is_on(context, layer.name.c_str()) == layer.on);
  }
}

TEST_CASE("Current folder and environment are a context's own, and /tmp is the cage's") {
  auto session = open_session(shared_executor());
  auto context = open_context(session);
  REQUIRE(session
              .run("import os\nos.mkdir('d')\nos.chdir('d')\nos.environ['A'] = 'b'\n"
                   "open('/tmp/of-the-cage', 'w').close()")
              .status == Status::ok);
  CHECK(context.run("import os\nos.path.basename(os.getcwd()) == 'd', os.environ.get('A')").text ==
        "(False, None)");
  if (!is_on(session, "mounts")) CELLBLOCK_SKIP("sessions have no /tmp of their own here");
  CHECK(context.run("os.path.exists('/tmp/of-the-cage')").text == "True");
}

TEST_CASE("Runs of two contexts go on side by side, each in the order of its own queue") {
  auto session = open_session(shared_executor());
  auto context = open_context(session);
  auto waiting = session.start(until_file("go") + "'went'");
  auto behind = session.start("'behind'");
  CHECK(context.run("open('go', 'w').close()").status == Status::ok);
  CHECK(waiting.wait().text == "'went'");
  CHECK(behind.wait().text == "'behind'");
}

TEST_CASE("What a run made is told by it, and by those that were under way beside it") {
  auto session = open_session(shared_executor());
  auto context = open_context(session);
  CHECK(context.run("open('quiet', 'w').close()").files.created.size() == 1);
  CHECK(session.run("1").files.created.empty());
  Flag begun;
  RunCallbacks callbacks;
  callbacks.on_stdout = [&](std::string_view) { begun.set(); };
  auto beside = session.start(
      "print('begun', flush=True)\nopen('mine', 'w').close()\n" + until_file("end"), {}, callbacks);
  REQUIRE(begun.wait());
  REQUIRE(wait_until([&] { return session.files()->size() == 2; }));
  const auto ended = context.run("open('end', 'w').close()");
  CHECK(paths(ended.files.created) == std::vector<std::string>{"end", "mine"});
  const auto own = paths(beside.wait().files.created);
  CHECK(own == std::vector<std::string>{"end", "mine"});
  CHECK(context.run("1").files.created.empty());
}

TEST_CASE("A run that must be killed costs its own context alone, children and all") {
  auto policy = impatient();
  policy.max_processes = 4;
  policy.import_guard = ImportGuard::off;
  const bool founder_dies = GENERATE(false, true);
  INFO((founder_dies ? "the session" : "the context"));
  auto session = open_session(shared_executor(), policy);
  auto context = open_context(session);
  Session& dies = founder_dies ? session : context;
  Session& lives = founder_dies ? context : session;
  REQUIRE(lives.run("kept = 5").status == Status::ok);
  auto beside = lives.start(until_file("go") + "kept");
  const auto result = dies.run(
      std::string("import os\nx = 1\nopen('left', 'w').close()\nopen('/tmp/left', 'w').close()\n"
                  "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
                  "        while True: open('alive', 'w').close()\n    os._exit(0)\n") +
          kStubborn,
      {.timeout = 600ms});
  CHECK(result.status == Status::timeout);
  CHECK(result.stopped_by == StoppedBy::sigkill);
  CHECK(result.state == State::lost);
  REQUIRE(lives.upload("go", ""));
  const auto other = beside.wait();
  CHECK(other.text == "5");
  CHECK(other.state == State::kept);
  CHECK(lives.run("import os\nos.remove('alive')").status == Status::ok);
  CHECK(lives.run("import time\ntime.sleep(0.2)\nos.path.exists('alive')").text == "False");
  CHECK(dies.run("import os\nos.path.exists('left')").text == "True");
  // Its successor is in the same cage.
  if (is_on(session, "mounts")) CHECK(dies.run("os.path.exists('/tmp/left')").text == "True");
}

TEST_CASE("The cage ends with the last of those that share it, whichever closes first") {
  auto policy = impatient();
  auto first = open_session(shared_executor(), policy);
  auto second = open_context(first);
  REQUIRE(first.run("open('a', 'w').close()").status == Status::ok);
  REQUIRE(second.run("x = 1").status == Status::ok);
  const bool founder_first = GENERATE(true, false);
  Session& closes = founder_first ? first : second;
  Session& stays = founder_first ? second : first;
  closes.close();
  CHECK(closes.run("1").status == Status::cancelled);
  const auto refused = closes.open_context();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::unknown_session);
  CHECK(stays.run("import os\nos.path.exists('a')").text == "True");
  auto third = open_context(stays);
  CHECK(third.run("import os\nopen('b', 'w').close()\nos.path.exists('a')").text == "True");
  CHECK(paths(*stays.files()) == std::vector<std::string>{"a", "b"});
  stays.close();
  CHECK(third.run("os.path.exists('b')").text == "True");
  exit_of(third);
  CHECK(third.run("import os\nos.path.exists('b')").text == "True");
}

TEST_CASE("A reset, a crash or an interrupt leaves the others as they are") {
  auto session = open_session(shared_executor(), impatient());
  auto context = open_context(session);
  REQUIRE(session.run("x = 1").status == Status::ok);
  REQUIRE(context.run("x = 2").status == Status::ok);
  REQUIRE(context.reset());
  CHECK(context.run("'x' in globals()").text == "False");
  CHECK(context.run("import os\nos.kill(os.getpid(), 11)").status == Status::crashed);
  auto running = context.start("while True: pass");
  running.interrupt();
  CHECK(running.wait().status == Status::cancelled);
  const auto kept = session.run("x");
  CHECK(kept.text == "1");
  CHECK(kept.state == State::kept);
}

TEST_CASE("When all their processes have ended, the files come into the next cage") {
  auto session = open_session(shared_executor());
  auto context = open_context(session);
  REQUIRE(session.run("open('a', 'w').write('x' * 100_000)").status == Status::ok);
  exit_of(session);
  exit_of(context);
  // A context needs no living process of the session that it is opened of.
  auto third = open_context(session);
  CHECK(third.run("len(open('a').read())").text == "100000");
  CHECK(context.run("import os\nos.mkdir('m')\nlen(open('a').read())").text == "100000");
  CHECK(session.run("import os\nos.path.isdir('m')").text == "True");
}

TEST_CASE("Both are told when the zygote is lost, and go on together") {
  const auto before = descendants_of(::getpid());
  auto executor = make_executor();
  auto session = open_session(*executor);
  auto context = open_context(session);
  REQUIRE(session.run("x = 1\nopen('a', 'w').write('kept')").status == Status::ok);
  REQUIRE(context.run("y = 2").status == Status::ok);
  auto running = context.start("while True: pass");
  const auto now = descendants_of(::getpid());
  const auto zygote = std::find_if(now.begin(), now.end(), [&](const auto& process) {
    return before.count(process.first) == 0 && process.second.starts_with("cellblock-zygot");
  });
  REQUIRE(zygote != now.end());
  ::kill(zygote->first, SIGKILL);
  const auto lost = running.wait();
  CHECK(lost.state == State::lost);
  CHECK(lost.lost_names == std::vector<std::string>{"y"});
  const auto told = session.run("open('a').read()");
  CHECK(told.text == "'kept'");
  CHECK(told.state == State::lost);
  CHECK(told.lost_names == std::vector<std::string>{"x"});
  CHECK(context.run("open('b', 'w').close()\nopen('a').read()").text == "'kept'");
  CHECK(session.run("import os\nos.path.exists('b')").text == "True");
}

TEST_CASE("Threads and processes of all contexts count together") {
  SecurityPolicy policy;
  policy.max_threads = 6;
  auto session = open_session(shared_executor(), policy);
  if (!is_on(session, "cgroup") && !is_on(session, "ids")) {
    CELLBLOCK_SKIP("neither a control group nor a user of its own counts a session's threads");
  }
  auto context = open_context(session);
  const std::string start_threads =
      "import threading\nstop = threading.Event()\nstarted = 0\ntry:\n    for n in range(4):\n"
      "        threading.Thread(target=stop.wait, daemon=True).start()\n        started += 1\n"
      "except RuntimeError: pass\nstarted";
  CHECK(session.run(start_threads).text == "4");
  const auto rest = context.run(start_threads).text;
  CHECK((rest == "0" || rest == "1" || rest == "2"));
  CHECK(session.run("stop.set()").status == Status::ok);
}

TEST_CASE("Memory of all contexts counts together, and who is killed for it is told") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  SecurityPolicy policy;
  policy.max_memory_bytes = 64ULL << 20;
  policy.workspace_bytes = 1ULL << 20;
  auto session = open_session(shared_executor(), policy);
  if (!is_on(session, "cgroup")) CELLBLOCK_SKIP("no control group counts the memory of a cage");
  std::vector<Session> all;
  all.push_back(std::move(session));
  for (int n = 0; n < 3; ++n) all.push_back(open_context(all.front()));
  std::size_t lost = 0;
  for (Session& one : all) {
    const auto result = one.run("held = bytearray(b'x') * (50 << 20)\nlen(held)");
    if (result.status == Status::ok) continue;
    CHECK(result.status == Status::memory_limit);
    CHECK(result.state == State::lost);
    ++lost;
  }
  for (Session& one : all) {
    if (one.run("'held' in globals()").state == State::lost) ++lost;
    CHECK(one.run("1 + 1").text == "2");
  }
  CHECK(lost > 0);
}

TEST_CASE("Processor time of one context's run is not another's") {
  auto policy = impatient();
  policy.cpu_seconds = 0.4;
  auto session = open_session(shared_executor(), policy);
  auto context = open_context(session);
  auto waiting = session.start(until_file("end") + "'waited'");
  for (int n = 0; n < 2; ++n) {
    CHECK(context.run("while True: pass").status == Status::cpu_limit);
  }
  REQUIRE(session.upload("end", ""));
  CHECK(waiting.wait().text == "'waited'");
}

TEST_CASE("A context has a place among max_sessions and times to live of its own") {
  ExecutorOptions options;
  options.max_sessions = 2;
  auto executor = make_executor(options);
  SecurityPolicy policy;
  policy.idle_ttl = 2s;
  auto session = open_session(*executor, policy);
  {
    auto context = open_context(session);
    const auto refused = session.open_context();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::busy_limit);
    // The session is used, the context is not.
    CHECK(wait_until([&] {
      CHECK(session.run("x = 1").status == Status::ok);
      return context.ended().has_value();
    }));
    CHECK(context.ended()->kind == ErrorKind::expired);
    CHECK(context.open_context().error().kind == ErrorKind::expired);
  }
  CHECK(session.run("x").text == "1");
  auto next = open_context(session);
  CHECK(next.run("1 + 1").text == "2");
}

TEST_CASE("A folder of the machine is the workspace of all contexts") {
  const ScratchFolder scratch;
  SecurityPolicy policy;
  policy.workspace_dir = scratch.path();
  auto session = open_session(shared_executor(), policy);
  auto context = open_context(session);
  CHECK(context.run("open('a', 'w').write('x')").text == "1");
  CHECK(session.run("open('a').read()").text == "'x'");
  session.close();
  exit_of(context);
  CHECK(context.run("open('a').read()").text == "'x'");
}

TEST_CASE("The audit log names the context") {
  const ScratchFolder scratch;
  ExecutorOptions options;
  options.audit_log = scratch / "audit";
  auto executor = make_executor(options);
  auto session = open_session(*executor);
  auto context = open_context(session);
  static_cast<void>(context.run("1"));
  std::ifstream file(options.audit_log);
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  CHECK(log.find(context.id()) != std::string::npos);
  CHECK(log.find(session.id()) == std::string::npos);
}

TEST_CASE("Contexts that are opened, ended and closed by many threads at once all answer") {
  auto executor = make_executor();
  auto session = open_session(*executor, impatient());
  REQUIRE(session.run("open('a', 'w').write('kept')").status == Status::ok);
  constexpr int threads = 4;
  constexpr int rounds = 12;
  std::vector<std::thread> workers;
  std::vector<int> right(threads);
  for (int worker = 0; worker < threads; ++worker) {
    workers.emplace_back([&, worker] {
      for (int round = 0; round < rounds; ++round) {
        auto context = session.open_context();
        if (!context) continue;
        if (round % 3 == worker % 3) static_cast<void>(context->run("import os\nos._exit(0)"));
        if (round % 4 == worker) static_cast<void>(session.run("import os\nos._exit(0)"));
        if (context->run("open('a').read()").text == "'kept'") ++right[worker];
      }
    });
  }
  for (auto& worker : workers) worker.join();
  for (const int count : right) CHECK(count == rounds);
  CHECK(session.run("open('a').read()").text == "'kept'");
  // The session, its cage's first process, the zygote and what is prepared for the next session.
  CHECK(wait_until([] { return descendants_of(::getpid()).size() <= 6; }));
}

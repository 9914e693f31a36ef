// Control groups through real sessions: memory, tasks, processors, and what is left of them.
#include "host/cgroup_pool.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/socket.hpp"
#include "host/cgroup_v2.hpp"
#include "host/fork_executor.hpp"
#include "support/catch.hpp"
#include "support/cgroups.hpp"
#include "support/other_host.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

constexpr Bytes kMebibyte = 1ULL << 20;
constexpr const char* kNoCgroups = "no control group can be made here";

std::shared_ptr<host::ForkExecutor> make_fork_executor() {
  ExecutorOptions options;
  options.preload.clear();
  auto executor = host::ForkExecutor::create(std::move(options));
  if (!executor) throw std::runtime_error(executor.error().message);
  return *std::move(executor);
}

host::ForkExecutor& executor() {
  static const auto shared = make_fork_executor();
  return *shared;
}

std::shared_ptr<host::ForkSession> open_one(const SecurityPolicy& policy,
                                            host::ForkExecutor& from = executor()) {
  auto session = from.open_session(policy);
  if (!session) throw std::runtime_error(session.error().message);
  return *std::move(session);
}

/// Closes a session with its test.
class Opened final {
 public:
  explicit Opened(const SecurityPolicy& policy) : session_(open_one(policy)) {}
  ~Opened() { session_->close(); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  ExecutionResult run(std::string_view code) { return session_->run(code, {}, {}); }
  host::ForkSession* operator->() { return session_.get(); }

 private:
  std::shared_ptr<host::ForkSession> session_;
};

/// Leaves layers out while it lives.
class SwitchedOff final {
 public:
  explicit SwitchedOff(std::vector<std::string> layers) {
    executor().switch_off(std::move(layers));
  }
  ~SwitchedOff() { executor().switch_off({}); }
  SwitchedOff(const SwitchedOff&) = delete;
  SwitchedOff& operator=(const SwitchedOff&) = delete;
};

bool has_cgroups() {
  static const bool has = [] {
    Opened session({});
    return layer_of(session->isolation(), "cgroup").on;
  }();
  return has;
}

SecurityPolicy with_memory(Bytes bytes) {
  SecurityPolicy policy;
  policy.max_memory_bytes = bytes;
  policy.workspace_bytes = kMebibyte;  // files in memory count on top
  return policy;
}

/// Lazy first: RLIMIT_DATA would refuse it, a group only counts what is touched.
constexpr const char* kTouchTooMuch =
    "block = bytearray(10 ** 9)\n"
    "for i in range(0, len(block), 4096): block[i] = 1";

std::set<std::string> parents_of(const std::vector<std::string>& groups) {
  std::set<std::string> parents;
  for (const std::string& group : groups) parents.insert(fs::path(group).parent_path().string());
  return parents;
}

bool none_exists(const std::set<std::string>& paths) {
  return std::none_of(paths.begin(), paths.end(),
                      [](const std::string& path) { return fs::exists(path); });
}

}  // namespace

TEST_CASE("The report says what a session's group holds, or why there is none") {
  Opened session({});
  const Layer layer = layer_of(session->isolation(), "cgroup");
  REQUIRE(layer.name == "cgroup");
  if (layer.on) {
    CHECK_THAT(layer.detail, Catch::Matchers::StartsWith("v"));
    CHECK_THAT(layer.detail, ContainsSubstring("memory"));
    const auto groups = groups_of_sessions_below(::getpid());
    REQUIRE_FALSE(groups.empty());
    for (const std::string& group : groups) {
      INFO(group);
      CHECK(processes_in(group).size() == 1);
    }
  } else {
    CHECK_THAT(layer.detail, ContainsSubstring("no control groups ("));
    CHECK_THAT(layer.detail, ContainsSubstring("max_cpus is not enforced"));
    CHECK_THAT(layer.detail, ContainsSubstring("Delegate=yes"));
  }
}

TEST_CASE("Memory past the group's limit is told with limit and peak; a neighbour keeps its own") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  Opened neighbour(with_memory(64 * kMebibyte));
  REQUIRE(neighbour.run("kept = b'n' * (32 << 20)").status == Status::ok);
  const SwitchedOff without({"rlimits"});
  Opened session(with_memory(48 * kMebibyte));
  CHECK_FALSE(layer_of(session->isolation(), "rlimits").on);
  REQUIRE(session.run("x = 1\nopen('file', 'w').close()").status == Status::ok);

  const auto result = session.run(kTouchTooMuch);
  CHECK(result.status == Status::memory_limit);
  CHECK(result.cause == Cause::memory);
  CHECK(result.exit_code == 137);
  CHECK(result.state == State::lost);
  CHECK(result.lost_names == std::vector<std::string>{"x"});
  CHECK_FALSE(result.stopped_by);
  REQUIRE(result.error);
  CHECK(result.error->name == "MemoryLimit");
  CHECK_THAT(result.error->hint, ContainsSubstring("The limit is 48 MiB, the peak was "));
  CHECK(result.usage.peak_memory_bytes > 48 * kMebibyte);
  CHECK(result.usage.peak_memory_bytes < 160 * kMebibyte);

  const auto next = session.run("import os\n(os.path.exists('file'), 'x' in globals())");
  CHECK(next.status == Status::ok);
  CHECK(next.text == "(True, False)");
  CHECK(neighbour.run("len(kept)").text == std::to_string(32 * kMebibyte));
}

TEST_CASE("After a kill for memory the successor works though the files' pages stay charged") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  const std::string folder = "/dev/shm/cellblock-test-" + std::to_string(::getpid());
  std::error_code error;
  if (!fs::create_directory(folder, error)) CELLBLOCK_SKIP("/dev/shm cannot be written");
  {
    const SwitchedOff without({"rlimits"});
    auto policy = with_memory(48 * kMebibyte);
    policy.workspace_dir = folder;
    Opened session(policy);
    REQUIRE(session
                .run("full = open('full', 'wb')\n"
                     "for _ in range(40): full.write(b'f' * (1 << 20))\n"
                     "full.close()")
                .status == Status::ok);
    const auto result = session.run(kTouchTooMuch);
    CHECK(result.cause == Cause::memory);
    const auto next = session.run("import os\nblock = b'b' * (20 << 20)\nos.path.getsize('full')");
    INFO(next.to_json());
    CHECK(next.status == Status::ok);
    CHECK(next.text == std::to_string(40 * kMebibyte));
  }
  fs::remove_all(folder, error);
}

TEST_CASE("RLIMIT_DATA is met before the group's limit, so that a session survives") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  Opened session(with_memory(64 * kMebibyte));
  const auto result = session.run("x = 1\nhoard = []\nwhile True: hoard.append(b'h' * (1 << 20))");
  CHECK(result.cause == Cause::memory);
  CHECK(result.state == State::kept);
  REQUIRE(result.error);
  CHECK(result.error->name == "MemoryError");
  CHECK(session.run("hoard.clear()\nx").text == "1");
}

TEST_CASE("Code that catches every MemoryError goes on until its time is over") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  auto policy = with_memory(64 * kMebibyte);
  policy.timeout = 500ms;
  Opened session(policy);
  const auto result = session.run(
      "hoard = []\n"
      "while True:\n"
      "    try: hoard.append(b'h' * (1 << 20))\n"
      "    except MemoryError: pass");
  CHECK(result.status == Status::timeout);
  CHECK(result.cause == Cause::wall_time);
  CHECK(session.run("1").text == "1");
}

TEST_CASE("A kill that was not the kernel's is no matter of memory") {
  Opened session({});
  const auto result = session.run("import os\nos.kill(os.getpid(), 9)\nwhile True: pass");
  CHECK(result.status == Status::crashed);
  CHECK(result.cause == Cause::signal);
}

TEST_CASE("The peak of memory is that of the last run") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  Opened session({});
  const auto much = session.run("block = b'x' * (100 << 20)\ndel block");
  CHECK(much.usage.peak_memory_bytes > 100 * kMebibyte);
  const auto little = session.run("1");
  CHECK(little.usage.peak_memory_bytes > 0);
  // v2 can do that from Linux 6.12 on.
  if (layer_of(session->isolation(), "cgroup").detail.starts_with("v1")) {
    CHECK(little.usage.peak_memory_bytes < 100 * kMebibyte);
  }
}

TEST_CASE("A flood of threads ends at the cap, with an error that the session survives") {
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  SecurityPolicy policy;
  policy.max_threads = 8;
  const SwitchedOff without({"rlimits"});  // RLIMIT_NPROC is met first
  Opened session(policy);
  const auto result = session.run(
      "import threading\nstop = threading.Event()\nstarted = 0\n"
      "while started < 100:\n"
      "    threading.Thread(target=stop.wait, daemon=True).start()\n"
      "    started += 1");
  CHECK(result.status == Status::error);
  CHECK(result.cause == Cause::threads);
  REQUIRE(result.error);
  CHECK(result.error->name == "RuntimeError");
  const auto groups = groups_of_sessions_below(::getpid());
  CHECK(counter(groups, "pids.events", "max") == 1U);
  CHECK(session.run("stop.set()\nstarted").text == "8");
}

TEST_CASE("A share of a core is held by throttling") {
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  SecurityPolicy policy;
  policy.max_cpus = 0.05;
  Opened session(policy);
  const auto result = session.run(
      "import time\nend = time.monotonic() + 1\n"
      "while time.monotonic() < end: pass\n");
  CHECK(result.status == Status::ok);
  CHECK(result.usage.cpu_ms < 500);
  const auto throttled = counter(groups_of_sessions_below(::getpid()), "cpu.stat", "nr_throttled");
  REQUIRE(throttled);
  CHECK(*throttled > 0);
}

TEST_CASE("A run past its processor time is stopped, and its state is kept where it lets itself") {
  SecurityPolicy policy;
  policy.cpu_seconds = 0.3;
  Opened session(policy);
  // Waiting costs nothing, and what earlier runs used is not charged again.
  CHECK(session.run("import time\nx = 1\ntime.sleep(0.5)").status == Status::ok);
  for (int again = 0; again < 2; ++again) {
    const auto result = session.run("while True: pass");
    CHECK(result.status == Status::cpu_limit);
    CHECK(result.cause == Cause::cpu_time);
    CHECK(result.exit_code == 152);
    CHECK(result.stopped_by == StoppedBy::sigint);
    CHECK(result.state == State::kept);
    REQUIRE(result.error);
    CHECK(result.error->name == "CpuLimit");
    CHECK(result.error->value == "The cell used up its 0.3 s of processor time.");
  }
  CHECK(session.run("x").text == "1");
}

TEST_CASE("A run past its processor time that will not stop is killed") {
  SecurityPolicy policy;
  policy.cpu_seconds = 0.2;
  policy.grace = 200ms;
  policy.import_guard = ImportGuard::off;
  Opened session(policy);
  const auto result = session.run(
      "import signal\n"
      "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
      "while True: pass");
  CHECK(result.status == Status::cpu_limit);
  CHECK(result.cause == Cause::cpu_time);
  CHECK(result.exit_code == 152);
  CHECK(result.stopped_by == StoppedBy::sigkill);
  CHECK(result.state == State::lost);
  CHECK(session.run("1").text == "1");
}

TEST_CASE("A layer that is switched off for a test is told as such") {
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  const SwitchedOff without({"cgroup"});
  Opened session({});
  const Layer layer = layer_of(session->isolation(), "cgroup");
  CHECK_FALSE(layer.on);
  CHECK(layer.detail == "not asked for");
  CHECK(session.run("1").text == "1");
}

TEST_CASE("200 opens and closes leave no group, and the executor's end leaves nothing") {
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  std::set<std::string> mine;
  {
    const auto before = parents_of(groups_of_sessions_below(::getpid()));
    const auto own = make_fork_executor();
    const auto lasting = open_one({}, *own);
    mine = parents_of(groups_of_sessions_below(::getpid()));
    for (const std::string& group : before) mine.erase(group);
    REQUIRE_FALSE(mine.empty());
    for (int i = 0; i < 200; ++i) open_one({}, *own)->close();
    // What is prepared for the next ones may be there.
    for (const std::string& group : mine) {
      INFO(group);
      CHECK(wait_until([&] { return folders_in(group).size() <= 5; }));
    }
    CHECK(lasting->run("1", {}, {}).text == "1");
  }
  CHECK(none_exists(mine));
}

TEST_CASE("The groups of a host that was killed are removed by the next executor") {
  if (!has_cgroups()) CELLBLOCK_SKIP(kNoCgroups);
  std::vector<std::string> left;
  {
    OtherHost host;
    const auto answer = host.ask(R"({"jsonrpc": "2.0", "id": 1, "method": "session.open"})");
    REQUIRE_THAT(answer, ContainsSubstring("session_id"));
    left = groups_of_sessions_below(host.pid());
    REQUIRE_FALSE(left.empty());
    host.kill();
  }
  CHECK(wait_until([&] {
    return std::all_of(left.begin(), left.end(),
                       [](const std::string& group) { return processes_in(group).empty(); });
  }));
  for (const std::string& group : left) CHECK(fs::exists(group));
  const auto next = make_fork_executor();
  CHECK(wait_until([&] { return none_exists(parents_of(left)); }));
}

TEST_CASE("On v2 a process joins by its own write, is counted, and its group goes after it") {
  const auto own = host::find_own_cgroup(host::CgroupView::of_this_process(), "");
  auto folder = own ? host::CgroupFolder::create(own->path, host::executor_prefix() + "v2-test")
                    : Expected<host::CgroupFolder>(Error{});
  if (!folder) CELLBLOCK_SKIP("no group of v2 can be made here");
  // Without a controller, so that nothing must be delegated: CPU time is counted in any case.
  auto places = std::make_shared<host::CgroupPlaces>();
  places->add(*std::move(folder), {host::CgroupController::cpuacct});
  host::SessionCgroupV2 group(places, "session-1");
  REQUIRE(group.make());
  REQUIRE(group.prepare({}));
  const auto joins = group.open_join();
  REQUIRE(joins);
  REQUIRE(joins->size() == 1);

  auto [reader, writer] = base::make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    const char joined = ::write(joins->front().get(), "0", 1) == 1 ? 'y' : 'n';
    static_cast<void>(::write(writer.get(), &joined, 1));
    ::pause();
    ::_exit(0);
  }
  char joined = 0;
  CHECK(::read(reader.get(), &joined, 1) == 1);
  CHECK(joined == 'y');
  CHECK(group.holds(child));
  CHECK_FALSE(group.holds(::getpid()));
  CHECK(group.remove() == EBUSY);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK_FALSE(group.holds(child));
  CHECK(group.cpu_time().has_value());
  CHECK_FALSE(group.oom_kills());
  CHECK_FALSE(group.peak_memory_bytes());
  CHECK(group.remove() == 0);
}

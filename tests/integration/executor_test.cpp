// The executor: what it refuses, how it ends, and what it leaves behind, which is nothing.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "base/pidfd.hpp"
#include "base/socket.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kLoop = "print('begun', flush=True)\nwhile True: pass";

/// Starts the loop and returns once it runs.
RunningExecution start_loop(Session& session) {
  const auto begun = std::make_shared<Flag>();
  auto running =
      session.start(kLoop, {}, {.on_stdout = [begun](std::string_view) { begun->set(); }});
  REQUIRE(begun->wait());
  return running;
}

Error creation_error(ExecutorOptions options) {
  const auto executor = Executor::create(ExecutorKind::fork, std::move(options));
  REQUIRE_FALSE(executor);
  CHECK(executor.error().message.ends_with("."));
  return executor.error();
}

}  // namespace

TEST_CASE("The engine says what it is and what it could not load") {
  ExecutorOptions options;
  options.preload = {"json", "no_such_package"};
  const auto executor = Executor::create(ExecutorKind::fork, options);
  REQUIRE(executor);
  const auto info = (*executor)->info();
  REQUIRE(info);
  CHECK(info->executor == "fork");
  CHECK_FALSE(info->version.empty());
  CHECK(info->python_version.starts_with("3."));
  CHECK(info->missing.count("no_such_package") == 1);
  CHECK(info->preloaded.count("json") == 1);
  CHECK(info->zygote_start_ms > 0);
}

TEST_CASE("What this version cannot do is answered as unsupported") {
  for (const auto kind : {ExecutorKind::subprocess, ExecutorKind::in_process,
                          ExecutorKind::container, ExecutorKind::remote}) {
    const auto executor = Executor::create(kind);
    REQUIRE_FALSE(executor);
    CHECK(executor.error().kind == ErrorKind::unsupported);
  }
  CHECK_THAT(Executor::create(ExecutorKind::in_process).error().message,
             ContainsSubstring("cellblock_in_process"));
}

TEST_CASE("An executor that cannot start says in a sentence what to do") {
  CHECK(creation_error({.python = "/no/such/python"}).kind == ErrorKind::bad_argument);
  CHECK_THAT(creation_error({.python = "/no/such/python"}).message,
             ContainsSubstring("/no/such/python"));
  CHECK(creation_error({.zygote_path = "/no/such/zygote"}).kind == ErrorKind::host_error);
  CHECK_THAT(creation_error({.zygote_path = "/no/such/zygote"}).message,
             ContainsSubstring("/no/such/zygote"));
  CHECK(creation_error({.audit_log = "/no/such/folder/log"}).kind == ErrorKind::bad_argument);
}

TEST_CASE("A Python or zygote that is none is told when it is used") {
  for (const ExecutorOptions& options :
       {ExecutorOptions{.python = "/bin/true"}, ExecutorOptions{.zygote_path = "/bin/true"},
        ExecutorOptions{.zygote_path = "/bin/cat"}}) {
    const auto executor = Executor::create(ExecutorKind::fork, options);
    REQUIRE(executor);
    const auto info = (*executor)->info();
    REQUIRE_FALSE(info);
    CHECK(info.error().kind == ErrorKind::host_error);
    CHECK(info.error().message.size() > 20);
    CHECK_FALSE((*executor)->open_session().has_value());
    const auto result = (*executor)->run("1");
    CHECK(result.status == Status::host_error);
    CHECK(result.cause == Cause::host);
    CHECK(result.exit_code == 125);
    REQUIRE(result.error);
    CHECK_FALSE(result.error->value.empty());
  }
}

TEST_CASE("A one-shot run has a session of its own") {
  const auto executor = make_executor();
  CHECK(executor->run("x = 1\nx").text == "1");
  CHECK(executor->run("'x' in globals()").text == "False");
}

TEST_CASE("A policy that was put together wrongly is refused by its field") {
  const auto executor = make_executor();
  const auto refused = [&](const SecurityPolicy& policy) {
    const auto session = executor->open_session(policy);
    REQUIRE_FALSE(session);
    CHECK(session.error().kind == ErrorKind::policy_invalid);
    return session.error().message;
  };
  SecurityPolicy policy;
  policy.network = "host";
  CHECK_THAT(refused(policy), ContainsSubstring("network"));
  policy = {};
  policy.timeout = std::chrono::milliseconds::max();
  CHECK_THAT(refused(policy), ContainsSubstring("timeout_s"));
  policy = {};
  policy.grace = -1ms;
  CHECK_THAT(refused(policy), ContainsSubstring("grace_s"));
  policy = {};
  policy.env["A=B"] = "x";
  CHECK_THAT(refused(policy), ContainsSubstring("env"));
  policy = {};
  policy.workspace_dir = "relative";
  CHECK_THAT(refused(policy), ContainsSubstring("workspace_dir"));
}

TEST_CASE("Required isolation that cannot be given is refused, not weakened") {
  const auto executor = make_executor();
  SecurityPolicy policy;
  policy.isolation = Isolation::required;
  const auto session = executor->open_session(policy);
  if (session) {
    const auto level = session->isolation().level;
    const bool holds = level == "full" || level == "reduced";
    CHECK(holds);
  } else {
    CHECK(session.error().kind == ErrorKind::isolation_unavailable);
    CHECK_THAT(session.error().message, ContainsSubstring("best_effort"));
  }
}

TEST_CASE("A plain fork without a cage is nothing that a caller can ask for") {
  for (const auto& entry :
       std::filesystem::directory_iterator(CELLBLOCK_TEST_SOURCE_DIR "/include/cellblock")) {
    const std::string text = read_file(entry.path());
    CHECK(text.find("ForkMode") == std::string::npos);
    CHECK(text.find("bare") == std::string::npos);
  }
  for (const char* json :
       {R"({"mode": "bare"})", R"({"isolation": "bare"})", R"({"bare": true})"}) {
    CHECK_FALSE(SecurityPolicy::from_json(json).has_value());
  }
}

TEST_CASE("More sessions than the limit are refused, and a closed one makes room") {
  ExecutorOptions options;
  options.max_sessions = 2;
  const auto executor = make_executor(options);
  auto first = open_session(*executor);
  auto second = open_session(*executor);
  const auto third = executor->open_session();
  REQUIRE_FALSE(third);
  CHECK(third.error().kind == ErrorKind::busy_limit);
  CHECK_THAT(third.error().message, ContainsSubstring("max_sessions"));
  for (int i = 0; i < 5; ++i) {
    first.close();
    first = open_session(*executor);
    REQUIRE(first.run("1").status == Status::ok);
  }
}

TEST_CASE("As many sessions as the limit open at the same time") {
  ExecutorOptions options;
  options.max_sessions = 4;
  const auto executor = make_executor(options);
  std::atomic<int> opened{0};
  std::vector<std::thread> threads;
  std::vector<std::optional<Session>> sessions(4);
  for (auto& place : sessions) {
    threads.emplace_back([&] {
      if (auto session = executor->open_session()) {
        place.emplace(*std::move(session));
        ++opened;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(opened == 4);
  CHECK_FALSE(executor->open_session().has_value());
}

TEST_CASE("A session keeps its executor alive") {
  auto executor = make_executor();
  auto session = open_session(*executor);
  executor.reset();
  CHECK(session.run("1 + 1").text == "2");
}

TEST_CASE("An executor that is dropped ends what still runs") {
  auto executor = make_executor();
  std::optional<RunningExecution> running;
  std::optional<RunningExecution> waiting;
  {
    auto session = open_session(*executor);
    running.emplace(start_loop(session));
    waiting.emplace(session.start("1"));
  }
  const auto start = std::chrono::steady_clock::now();
  executor.reset();
  CHECK(std::chrono::steady_clock::now() - start < 20s);
  CHECK(running->done());
  CHECK(running->wait().status == Status::cancelled);
  CHECK(waiting->wait().status == Status::cancelled);
  running->interrupt();
  CHECK(descendants_of(::getpid()).empty());
}

TEST_CASE("An executor that is dropped while it starts leaves nothing") {
  for (int i = 0; i < 3; ++i) static_cast<void>(make_executor());
  CHECK(descendants_of(::getpid()).empty());
}

TEST_CASE("Two hundred sessions leave no descriptor, process or folder") {
  const ScratchFolder scratch;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  auto executor = make_executor();
  ::unsetenv("TMPDIR");
  const auto folders = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path())) {
      static_cast<void>(entry);
      ++count;
    }
    return count;
  };
  for (int i = 0; i < 3; ++i) REQUIRE(executor->run("1").text == "1");
  // What a session leaves for a moment is gone when these are the same twice.
  std::size_t descriptors = 0;
  std::size_t processes = 0;
  const auto settled = [&] {
    const auto now_descriptors = open_descriptors();
    const auto now_processes = descendants_of(::getpid()).size();
    const bool same = now_descriptors == descriptors && now_processes == processes;
    descriptors = now_descriptors;
    processes = now_processes;
    return same && folders() <= 2;
  };
  REQUIRE(wait_until(settled));
  const auto few_descriptors = descriptors;
  const auto few_processes = processes;
  for (int i = 0; i < 200; ++i) {
    auto session = open_session(*executor);
    if (i % 4 == 0) REQUIRE(session.run("open('f', 'w').close()").status == Status::ok);
    if (i % 50 == 0) static_cast<void>(start_loop(session));
  }
  CHECK(wait_until([&] {
    return open_descriptors() <= few_descriptors &&
           descendants_of(::getpid()).size() <= few_processes && folders() <= 2;
  }));
  CHECK(open_descriptors() <= few_descriptors);
  CHECK(descendants_of(::getpid()).size() <= few_processes);
  executor.reset();
  CHECK(std::filesystem::is_empty(scratch.path()));
  CHECK(descendants_of(::getpid()).empty());
}

TEST_CASE("A host program that is killed leaves no process within a second") {
  auto [reading, writing] = base::make_pipe();
  const pid_t host = ::fork();
  if (host == 0) {
    ::dup2(writing.get(), 1);
    ::execl(CELLBLOCK_TEST_CLI, CELLBLOCK_TEST_CLI, "exec", "-c",
            "import threading\n"
            "def loop():\n"
            "    while True: pass\n"
            "threading.Thread(target=loop).start()\n"
            "print('begun', flush=True)\n"
            "sum(range(10**15))",
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  writing.reset();
  pollfd entry{.fd = reading.get(), .events = POLLIN, .revents = 0};
  REQUIRE(::poll(&entry, 1, 120'000) == 1);
  std::array<char, 16> text{};
  REQUIRE(::read(reading.get(), text.data(), text.size()) > 0);
  std::vector<base::UniqueFd> processes;
  for (const auto& [pid, name] : descendants_of(host)) processes.push_back(base::open_pidfd(pid));
  REQUIRE(processes.size() >= 2);

  REQUIRE(::kill(host, SIGKILL) == 0);
  REQUIRE(::waitpid(host, nullptr, 0) == host);
  const auto deadline = std::chrono::steady_clock::now() + 1s;
  for (const auto& process : processes) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
    CHECK(::poll(&end, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) == 1);
  }
}

TEST_CASE("A host program keeps its own children, and may reap all that it has") {
  auto executor = make_executor();
  auto session = std::make_optional(open_session(*executor));
  REQUIRE(session->run("1").text == "1");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(9);
  int status = 0;
  CHECK(::waitpid(-1, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 9);

  const pid_t zygote = zygote_pid();
  REQUIRE(zygote > 0);
  REQUIRE(::kill(zygote, SIGKILL) == 0);
  CHECK(::waitpid(-1, nullptr, 0) == zygote);
  CHECK(wait_until([&] { return session->run("2").text == "2"; }));
  session.reset();
  executor.reset();
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

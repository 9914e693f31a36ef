#include <sys/stat.h>

#include <iterator>

#include "base/pidfd.hpp"
#include "support/catch.hpp"
#include "support/sessions.hpp"
#include "support/zygote_process.hpp"

using namespace cellblock;
using namespace cellblock::test;
using Catch::Matchers::ContainsSubstring;
using protocol::ForkRequest;

namespace {

std::size_t entries_of(const std::string& folder) {
  std::error_code error;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  return {std::istream_iterator<pid_t>(file), {}};
}

/// Forks twice and leaves its process session; the grandchild keeps stdout open for ever.
constexpr const char* kDaemon = R"(
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            time.sleep(60)
    os._exit(0)
os.wait()
print("started")
)";

/// Whether every writing end of the pipe is closed within a second: all its holders are dead.
bool all_writers_gone(int fd) {
  const auto deadline = Clock::now() + 1s;
  std::array<char, 256> piece{};
  while (Clock::now() < deadline) {
    if (!wait_readable(fd, 100ms)) continue;
    if (::read(fd, piece.data(), piece.size()) <= 0) return true;
  }
  return false;
}

ForkRequest with_children() {
  ForkRequest request;
  request.limits.processes.reset();
  return request;
}

}  // namespace

TEST_CASE("A zygote says what it is and forks sessions that run code") {
  const auto placement = GENERATE(from_range(placements()));
  INFO(name_of(placement));
  ZygoteProcess zygote({.placement = placement});
  const auto ready = zygote.wait_ready();
  REQUIRE(ready);
  CHECK_THAT(ready->python_version, Catch::Matchers::StartsWith("3."));
  CHECK(ready->python_executable.front() == '/');
  const bool expect_cages = placement != Placement::plain_child || ::geteuid() == 0;
  CHECK(ready->cages == expect_cages);
  CHECK(ready->cages_detail.empty() == expect_cages);

  auto session = zygote.fork_session(with_limits());
  REQUIRE(session);
  CHECK(ready->mounts == expect_cages);
  CHECK(session->pidfds.size() == (expect_cages ? 2U : 1U));
  CHECK(static_cast<bool>(session->workspace) == expect_cages);
  const auto layers = session->wait_ready();
  REQUIRE(layers);
  CHECK(layer_is_on(*layers, "pid_namespace") == expect_cages);
  CHECK(layer_is_on(*layers, "mounts") == expect_cages);
  CHECK(layer_is_on(*layers, "ids") == expect_cages);
  CHECK(layer_is_on(*layers, "network") == expect_cages);
  for (const char* name :
       {"no_new_privs", "capabilities", "process_group", "descriptors", "rlimits", "seccomp"}) {
    INFO(name);
    CHECK(layer_is_on(*layers, name));
  }

  SECTION("state persists and output arrives") {
    const auto reply = session->execute("import sys\nx = 6 * 7\nprint('hi'); x");
    REQUIRE(reply);
    CHECK(reply->status == Status::ok);
    CHECK(reply->text == "42");
    CHECK(reply->max_rss_bytes > 1'000'000);
    CHECK(SessionProcess::read_available(session->out.get()) == "hi\n");
    CHECK(session->value_of("x + 1") == "43");
  }
  SECTION("its descriptors, privileges and limits are what the report says") {
    CHECK(session->value_of("import os, fcntl\n"
                            "def is_open(fd):\n"
                            "    try: fcntl.fcntl(fd, fcntl.F_GETFD); return True\n"
                            "    except OSError: return False\n"
                            "[fd for fd in range(64) if is_open(fd)]") == "[0, 1, 2, 3, 4]");
    CHECK(session->value_of("os.read(0, 1)") == "b''");
    CHECK(session->value_of("import resource\nresource.getrlimit(resource.RLIMIT_CORE)") ==
          "(0, 0)");
    CHECK(session->value_of("resource.getrlimit(resource.RLIMIT_NOFILE)") == "(64, 64)");
    CHECK(session->value_of("os.getsid(0) == os.getpid()") == "True");
    CHECK(session->value_of("import gc\ngc.isenabled(), gc.get_freeze_count() > 1000") ==
          "(True, True)");
    if (expect_cages) {
      CHECK(session->value_of("os.getpid(), os.getppid()") == "(2, 0)");
    }
  }
}

TEST_CASE("Sessions do not share what they change, and end with their wait status") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto first = zygote.open();
  auto second = zygote.open();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->value_of("y = 1; y") == "1");
  CHECK_THAT(second->value_of("y"), ContainsSubstring("NameError"));

  SECTION("os._exit") {
    first->send_code("import os; os.write(1, b'last words'); os._exit(7)");
    const auto exited = zygote.wait_exited(*first);
    REQUIRE(exited);
    CHECK(WIFEXITED(exited->wait_status));
    CHECK(WEXITSTATUS(exited->wait_status) == 7);
    CHECK(exited->max_rss_bytes > 1'000'000);
    CHECK(SessionProcess::read_available(first->out.get()) == "last words");
  }
  SECTION("a crash") {
    // Not SIGSEGV: AddressSanitizer has a handler of its own for that.
    first->send_code("import os; os.abort()");
    const auto exited = zygote.wait_exited(*first);
    REQUIRE(exited);
    CHECK(WIFSIGNALED(exited->wait_status));
    CHECK(WTERMSIG(exited->wait_status) == SIGABRT);
  }
  SECTION("its channel closed") {
    first->channel.close();
    const auto exited = zygote.wait_exited(*first);
    REQUIRE(exited);
    CHECK(exited->wait_status == 0);
  }
  SECTION("a shutdown request runs the atexit functions") {
    REQUIRE(first->execute("import atexit; atexit.register(print, 'bye')"));
    first->channel.send(FrameType::shutdown_request, 99, "");
    const auto exited = zygote.wait_exited(*first);
    REQUIRE(exited);
    CHECK(exited->wait_status == 0);
    CHECK(SessionProcess::read_available(first->out.get()) == "bye\n");
  }
  SECTION("the last of its pidfds killed") {
    base::send_signal(first->pidfds.back().get(), SIGKILL);
    const auto exited = zygote.wait_exited(*first);
    REQUIRE(exited);
    CHECK(WTERMSIG(exited->wait_status) == SIGKILL);
  }
  CHECK(second->value_of("'still here'") == "'still here'");
}

TEST_CASE("A SIGINT ends the cell and keeps the session") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto session = zygote.open();
  REQUIRE(session);
  session->send_code("z = 5\nprint('in', flush=True)\nwhile True: pass");
  REQUIRE(wait_readable(session->out.get(), kPatience));
  base::send_signal(session->pidfds.front().get(), SIGINT);
  const auto reply = session->wait_reply();
  REQUIRE(reply);
  CHECK(reply->interrupted);
  CHECK(session->value_of("z") == "5");
  // Between cells it hits nothing.
  for (int i = 0; i < 20; ++i) {
    base::send_signal(session->pidfds.front().get(), SIGINT);
    CHECK(session->value_of("z").find("5") != std::string::npos);
  }
}

TEST_CASE("A session's machinery outlives what its code breaks") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto session = zygote.open();
  REQUIRE(session);
  CHECK(session->value_of("import sys; sys.modules.clear(); 1") == "1");
  CHECK(session->value_of("2") == "2");
  for (const auto type :
       {FrameType::complete_request, FrameType::inspect_request, FrameType::is_complete_request,
        FrameType::variables_request, FrameType::reset_request}) {
    session->channel.send(type, 1'000, protocol::CodeRequest{.code = "pri", .cursor = 3}.encode());
    const auto frame = session->channel.receive(kPatience);
    REQUIRE(frame);
    CHECK(frame->id == 1'000);
    CHECK(static_cast<int>(frame->type) == static_cast<int>(type) + 1);
  }
}

TEST_CASE("A process that a cell forks never answers for the session") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto session = zygote.open(with_children());
  REQUIRE(session);
  CHECK(session->value_of("import os\npid = os.fork()\n"
                          "if pid: os.waitpid(pid, 0)\n"
                          "pid > 0") == "True");
  CHECK(session->value_of("1 + 1") == "2");
}

TEST_CASE("Everything of a session dies with it") {
  const auto placement = GENERATE(from_range(placements()));
  INFO(name_of(placement));
  ZygoteProcess zygote({.placement = placement});
  const auto ready = zygote.wait_ready();
  REQUIRE(ready);
  auto session = zygote.open(with_children());
  REQUIRE(session);

  SECTION("a daemon, when the session exits") {
    REQUIRE(session->execute(kDaemon));
    CHECK(SessionProcess::read_available(session->out.get()) == "started\n");
    session->send_code("os._exit(0)");
    REQUIRE(zygote.wait_exited(*session));
    // session_exited promises that all are dead already.
    char byte = 0;
    REQUIRE(wait_readable(session->out.get(), 0ms));
    CHECK(::read(session->out.get(), &byte, 1) == 0);
  }
  SECTION("a child of its group, when the session exits") {
    REQUIRE(session->execute("import os, time\nif os.fork() == 0: time.sleep(1000)"));
    session->send_code("os._exit(0)");
    REQUIRE(zygote.wait_exited(*session));
    CHECK(all_writers_gone(session->out.get()));
  }
  SECTION("a daemon, when the zygote is killed") {
    // Without cages only the session itself is tied to the zygote's life.
    if (ready->cages) REQUIRE(session->execute(kDaemon));
    zygote.kill();
    CHECK(all_writers_gone(session->out.get()));
  }
  SECTION("a daemon, when the host's liveness pipe closes") {
    REQUIRE(session->execute(kDaemon));
    zygote.close_liveness();
    CHECK(all_writers_gone(session->out.get()));
    CHECK(zygote.wait_end(1s));
  }
  SECTION("a daemon, when the host's control socket closes") {
    REQUIRE(session->execute(kDaemon));
    zygote.control().close();
    CHECK(all_writers_gone(session->out.get()));
    CHECK(zygote.wait_end(1s));
  }
  SECTION("a daemon, when a stopped zygote's host goes") {
    // Nothing but an init watches the host beside the zygote. A plain child of an ordinary user has
    // none anywhere, and the other placements show the claim.
    if (!ready->cages && placement == Placement::plain_child) return;
    if (!ready->cages) CELLBLOCK_SKIP("without cages nothing watches the host but the zygote");
    REQUIRE(session->execute(kDaemon));
    ::kill(zygote.pid(), SIGSTOP);
    zygote.close_liveness();
    CHECK(all_writers_gone(session->out.get()));
  }
}

TEST_CASE("Three hundred sessions leave nothing behind in the zygote") {
  const auto placement = GENERATE(from_range(placements()));
  INFO(name_of(placement));
  ZygoteProcess zygote({.placement = placement});
  REQUIRE(zygote.wait_ready());
  const std::string folder = "/proc/" + std::to_string(zygote.pid()) + "/fd";
  {
    // From the first session on there is a prepared cage.
    auto session = zygote.open();
    REQUIRE(session);
    base::send_signal(session->pidfds.back().get(), SIGKILL);
    REQUIRE(zygote.wait_exited(*session));
  }
  const std::size_t before = entries_of(folder);
  const std::size_t children_before = children_of(zygote.pid()).size();
  for (int i = 0; i < 300; ++i) {
    auto session = zygote.fork_session({});
    REQUIRE(session);
    if (i % 3 == 0) REQUIRE(session->wait_ready());
    base::send_signal(session->pidfds.back().get(), SIGKILL);
    REQUIRE(zygote.wait_exited(*session));
  }
  CHECK(entries_of(folder) == before);
  // The init of a cage is still being reaped when its session's end is told.
  CHECK(wait_until([&] { return children_of(zygote.pid()).size() == children_before; }));
}

TEST_CASE("A malformed frame from the host ends the zygote and its sessions") {
  ZygoteProcess zygote({.placement = placements().back()});
  REQUIRE(zygote.wait_ready());
  auto session = zygote.open();
  REQUIRE(session);
  SECTION("bytes that are no frame") {
    base::send_all(zygote.control().fd(), std::string(64, 'x'));
  }
  SECTION("a fork request without descriptors") {
    zygote.control().send(FrameType::fork_request, 1, ForkRequest{}.encode());
  }
  SECTION("a request that is none for a zygote") {
    zygote.control().send(FrameType::execute_request, 1, "");
  }
  CHECK(zygote.wait_end(5s));
  CHECK(all_writers_gone(session->out.get()));
}

TEST_CASE("A zygote that cannot start says in one sentence what to do") {
  std::string failure;
  SECTION("no such interpreter") {
    ZygoteProcess zygote({.python = "/nonexistent/python3"});
    CHECK_FALSE(zygote.wait_ready(&failure));
    CHECK_THAT(failure, ContainsSubstring("/nonexistent/python3 does not exist"));
    CHECK(WEXITSTATUS(zygote.wait_end(5s).value_or(0)) == 1);
  }
  SECTION("a program that is no Python") {
    ZygoteProcess zygote({.python = "/bin/true"});
    CHECK_FALSE(zygote.wait_ready(&failure));
    CHECK_THAT(failure, ContainsSubstring("cannot be run"));
  }
  SECTION("another version") {
    const auto script =
        std::filesystem::temp_directory_path() / ("cellblock-python-" + std::to_string(::getpid()));
    std::ofstream(script) << "#!/bin/sh\necho cpython 3.7\n";
    ::chmod(script.c_str(), 0755);
    ZygoteProcess zygote({.python = script.string()});
    CHECK_FALSE(zygote.wait_ready(&failure));
    CHECK_THAT(failure, ContainsSubstring("cpython 3.7") && ContainsSubstring("choose one"));
    std::filesystem::remove(script);
  }
  CHECK(failure.find('\n') == std::string::npos);
}

TEST_CASE("A package that is not installed is left out and told") {
  ZygoteProcess zygote({.preload = "json,no_such_package"});
  const auto ready = zygote.wait_ready();
  REQUIRE(ready);
  CHECK(ready->loaded.count("json") == 1);
  REQUIRE(ready->missing.count("no_such_package") == 1);
  CHECK_FALSE(ready->missing.at("no_such_package").empty());
}

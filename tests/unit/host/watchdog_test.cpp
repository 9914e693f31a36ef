#include "host/watchdog.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/pidfd.hpp"
#include "base/socket.hpp"
#include "protocol/messages.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::host;
using namespace std::chrono_literals;

namespace {

/// A process that writes a byte for each SIGINT and each wish for its stack, and ends by neither.
class Target final {
 public:
  Target() {
    auto [reading, writing] = base::make_pipe();
    const pid_t pid = ::fork();
    if (pid == 0) run(writing.get());
    reading_ = std::move(reading);
    pid_ = pid;
    char ready = 0;
    REQUIRE(::read(reading_.get(), &ready, 1) == 1);
    pidfd_ = base::open_pidfd(pid);
    kill_target_ =
        std::make_shared<KillTarget>(base::UniqueFd(::dup(pidfd_.get())), base::UniqueFd());
  }
  ~Target() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// When the next SIGINT came, or the end of the process (`alive` is false then).
  Clock::time_point next_event(bool& alive) {
    pollfd entry{.fd = reading_.get(), .events = POLLIN, .revents = 0};
    REQUIRE(::poll(&entry, 1, 10'000) == 1);
    const auto now = Clock::now();
    char byte = 0;
    alive = ::read(reading_.get(), &byte, 1) == 1;
    wrote_stack_ = byte == 's';
    return now;
  }
  /// Whether the last event was a wish for the stack.
  [[nodiscard]] bool wrote_stack() const { return wrote_stack_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool silent_for(std::chrono::milliseconds time) const {
    pollfd entry{.fd = reading_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&entry, 1, static_cast<int>(time.count())) == 0;
  }
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  [[nodiscard]] const std::shared_ptr<KillTarget>& kill_target() const { return kill_target_; }

 private:
  [[noreturn]] static void run(int fd) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, protocol::kStackSignal);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    int number = 0;
    while (true) {
      if (::write(fd, number == protocol::kStackSignal ? "s" : "x", 1) != 1) ::_exit(1);
      ::sigwait(&set, &number);
    }
  }

  pid_t pid_ = -1;
  bool wrote_stack_ = false;
  base::UniqueFd reading_;
  base::UniqueFd pidfd_;
  std::shared_ptr<KillTarget> kill_target_;
};

}  // namespace

TEST_CASE("The ladder is SIGINT, SIGINT at half the grace, the stack, and SIGKILL at its end") {
  Target target;
  Watchdog watchdog;
  target.kill_target()->begin(1);
  const auto deadline = Clock::now() + 50ms;
  watchdog.watch(deadline, {.target = target.kill_target(), .request = 1, .grace = 400ms});
  bool alive = false;
  CHECK(target.next_event(alive) >= deadline);
  CHECK(alive);
  CHECK(target.next_event(alive) >= deadline + 200ms);
  CHECK(alive);
  CHECK_FALSE(target.wrote_stack());
  CHECK(target.next_event(alive) >= deadline + 300ms);
  CHECK(alive);
  CHECK(target.wrote_stack());
  CHECK(target.next_event(alive) >= deadline + 400ms);
  CHECK_FALSE(alive);
  const Stop stop = target.kill_target()->end(1);
  CHECK(stop.reason == StopReason::deadline);
  CHECK(stop.rung == StoppedBy::sigkill);
}

TEST_CASE("A process that was stopped goes on to take its SIGINT") {
  Target target;
  target.kill_target()->begin(1);
  ::kill(target.pid(), SIGSTOP);
  siginfo_t stopped{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(target.pid()), &stopped, WSTOPPED) == 0);
  CHECK(target.kill_target()->interrupt(1, StopReason::deadline));
  bool alive = false;
  target.next_event(alive);
  CHECK(alive);
}

TEST_CASE("A request that ends after the first rung is left alone") {
  Target target;
  Watchdog watchdog;
  target.kill_target()->begin(1);
  const auto ticket =
      watchdog.watch(Clock::now(), {.target = target.kill_target(), .request = 1, .grace = 100ms});
  bool alive = false;
  target.next_event(alive);
  REQUIRE(alive);
  const Stop stop = target.kill_target()->end(1);
  CHECK(stop.reason == StopReason::deadline);
  CHECK(stop.rung == StoppedBy::sigint);

  SECTION("because its watch was taken back") { watchdog.unwatch(ticket); }
  SECTION("because another request runs") { target.kill_target()->begin(2); }
  SECTION("because none runs") {}
  CHECK(target.silent_for(300ms));
  CHECK_FALSE(target.kill_target()->end(2).reason.has_value());
}

TEST_CASE("A watch that was taken back before its deadline does nothing") {
  Target target;
  Watchdog watchdog;
  target.kill_target()->begin(1);
  const auto ticket = watchdog.watch(Clock::now() + 100ms,
                                     {.target = target.kill_target(), .request = 1, .grace = 0ms});
  watchdog.unwatch(ticket);
  watchdog.unwatch(ticket);
  watchdog.unwatch(12345);
  CHECK(target.silent_for(300ms));
  CHECK_FALSE(target.kill_target()->end(1).reason.has_value());
}

TEST_CASE("An earlier deadline is kept though a later one was there first") {
  Target late;
  Target early;
  Watchdog watchdog;
  late.kill_target()->begin(1);
  early.kill_target()->begin(1);
  watchdog.watch(Clock::now() + 1h, {.target = late.kill_target(), .request = 1, .grace = 0ms});
  watchdog.watch(Clock::now() + 50ms, {.target = early.kill_target(), .request = 1, .grace = 10s});
  bool alive = false;
  early.next_event(alive);
  CHECK(alive);
  CHECK(late.silent_for(0ms));
}

TEST_CASE("A watch that is told to look again begins its ladder only when it is not") {
  Target target;
  Watchdog watchdog;
  target.kill_target()->begin(1);
  int looks = 0;
  const auto begin = Clock::now();
  const auto third = begin + 90ms;
  watchdog.watch(begin, {.target = target.kill_target(),
                         .request = 1,
                         .grace = 100ms,
                         .reason = StopReason::cpu_time,
                         .look_again = [&]() -> std::optional<Clock::time_point> {
                           if (++looks == 3) return std::nullopt;
                           return begin + looks * 45ms;
                         }});
  bool alive = false;
  const auto first_rung = target.next_event(alive);
  CHECK(alive);
  CHECK(first_rung >= third);
  target.next_event(alive);
  CHECK(alive);
  target.next_event(alive);
  CHECK(target.wrote_stack());
  CHECK(target.next_event(alive) >= third + 100ms);
  CHECK_FALSE(alive);
  CHECK(looks == 3);
  CHECK(target.kill_target()->end(1).reason == StopReason::cpu_time);
}

TEST_CASE("Without grace the whole ladder is climbed at once") {
  Target target;
  Watchdog watchdog;
  target.kill_target()->begin(1);
  watchdog.watch(Clock::now(), {.target = target.kill_target(), .request = 1, .grace = 0ms});
  bool alive = true;
  for (int i = 0; i < 4 && alive; ++i) target.next_event(alive);
  CHECK_FALSE(alive);
  CHECK(target.kill_target()->end(1).rung == StoppedBy::sigkill);
}

TEST_CASE("The first reason wins") {
  Target target;
  target.kill_target()->begin(1);
  SECTION("the caller's") {
    target.kill_target()->interrupt(1, StopReason::caller);
    target.kill_target()->kill(1, StopReason::deadline);
    const Stop stop = target.kill_target()->end(1);
    CHECK(stop.reason == StopReason::caller);
    CHECK(stop.rung == StoppedBy::sigkill);
  }
  SECTION("the deadline's") {
    target.kill_target()->interrupt(1, StopReason::deadline);
    target.kill_target()->interrupt(1, StopReason::caller);
    const Stop stop = target.kill_target()->end(1);
    CHECK(stop.reason == StopReason::deadline);
    CHECK(stop.rung == StoppedBy::sigint);
  }
}

TEST_CASE("A new request starts with a clean record") {
  Target target;
  target.kill_target()->begin(1);
  target.kill_target()->interrupt(1, StopReason::caller);
  target.kill_target()->end(1);
  target.kill_target()->begin(2);
  CHECK_FALSE(target.kill_target()->interrupt(1, StopReason::caller));
  CHECK_FALSE(target.kill_target()->kill(1, StopReason::caller));
  const Stop stop = target.kill_target()->end(2);
  CHECK_FALSE(stop.reason.has_value());
  CHECK_FALSE(stop.rung.has_value());
  CHECK_FALSE(target.kill_target()->end(2).reason.has_value());
}

TEST_CASE("A watch on the process as such kills whatever runs, and says so") {
  Target target;
  Watchdog watchdog;
  target.kill_target()->begin(7);
  CHECK_FALSE(target.kill_target()->kills().as_such);
  watchdog.watch(Clock::now(),
                 {.target = target.kill_target(), .request = KillTarget::kAnyRequest, .grace = {}});
  bool alive = true;
  target.next_event(alive);
  CHECK_FALSE(alive);
  CHECK(target.kill_target()->kills().as_such);
  CHECK_FALSE(target.kill_target()->kills().other);
  CHECK_FALSE(target.kill_target()->end(7).reason.has_value());
}

TEST_CASE("A kill of what lives is remembered") {
  Target target;
  target.kill_target()->begin(1);
  const bool at_once = GENERATE(false, true);
  if (at_once) {
    target.kill_target()->kill_now();
  } else {
    CHECK_FALSE(target.kill_target()->kill(2, StopReason::deadline));
    CHECK_FALSE(target.kill_target()->kills().other);
    CHECK(target.kill_target()->kill(1, StopReason::deadline));
  }
  CHECK(target.kill_target()->kills().other);
  CHECK_FALSE(target.kill_target()->kills().as_such);
}

TEST_CASE("A kill goes to the cage's init where there is one, a SIGINT to the session") {
  Target session;
  Target init;
  KillTarget cage(base::UniqueFd(::dup(session.pidfd())), base::UniqueFd(::dup(init.pidfd())));
  cage.begin(1);
  cage.interrupt(1, StopReason::caller);
  bool alive = false;
  session.next_event(alive);
  CHECK(alive);
  CHECK(init.silent_for(0ms));
  cage.kill(1, StopReason::caller);
  init.next_event(alive);
  CHECK_FALSE(alive);
  CHECK(session.silent_for(0ms));
}

TEST_CASE("Signals to a process that has ended are harmless") {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  KillTarget target(base::open_pidfd(pid), base::UniqueFd());
  // Reaped or not, it died of none of them.
  REQUIRE(::waitid(P_PID, pid, nullptr, WEXITED | WNOWAIT) == 0);
  const bool reaped = GENERATE(false, true);
  if (reaped) REQUIRE(::waitpid(pid, nullptr, 0) == pid);
  target.begin(1);
  CHECK(target.interrupt(1, StopReason::caller));
  CHECK(target.kill(1, StopReason::caller));
  CHECK(target.kill(KillTarget::kAnyRequest, StopReason::deadline));
  target.kill_now();
  CHECK_FALSE(target.kills().other);
  CHECK_FALSE(target.kills().as_such);
  if (!reaped) REQUIRE(::waitpid(pid, nullptr, 0) == pid);
}

TEST_CASE("A watchdog with deadlines to come ends at once") {
  Target target;
  const auto start = Clock::now();
  {
    Watchdog watchdog;
    watchdog.watch(Clock::now() + 1h, {.target = target.kill_target(), .request = 1});
  }
  CHECK(Clock::now() - start < 10s);
  CHECK(target.silent_for(0ms));
}

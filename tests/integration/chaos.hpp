// Whatever can be done to sessions, by many threads at once, with a record of what came of it.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "integration/chaos_kinds.hpp"
#include "support/sessions.hpp"

namespace cellblock::test {

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t kSessions = 50;
inline constexpr std::size_t kWorkers = 8;
// A busy machine may be late, but not by as much.
inline constexpr auto kHang = 120s;
// What was disturbed may show as late as this.
inline constexpr auto kAftermath = 10s;

/// The last moment at which something was done to a session from outside.
class Disturbance final {
 public:
  void note() { last_ = Clock::now().time_since_epoch().count(); }
  [[nodiscard]] bool since(Clock::time_point when) const {
    return last_.load() >= when.time_since_epoch().count();
  }

 private:
  std::atomic<Clock::rep> last_ = 0;
};

inline std::string describe(const ExecutionResult& result) {
  return std::string(to_string(result.status)) + "/" +
         std::string(result.cause ? to_string(*result.cause) : "null");
}

/// One of the fifty: a session, or none at the moment.
struct Place {
  std::shared_mutex mutex;  // exclusive: to open and to close
  std::shared_ptr<Session> session;
  Disturbance interrupted;
  Disturbance closed;
  /// It is a context, or has one: others use up its memory and space, and remove its files.
  std::atomic<bool> shares = false;
  Disturbance shared;  ///< the last one did

  [[nodiscard]] bool shared_since(Clock::time_point when) const {
    return shares || shared.since(when);
  }
};

class Chaos final {
 public:
  Chaos(Executor& executor, unsigned long seed) : executor_(executor), seed_(seed) {}

  void run_for(std::chrono::seconds duration) {
    end_ = Clock::now() + duration;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kWorkers; ++i) threads.emplace_back([this, i] { work(i); });
    threads.emplace_back([this] { assassinate(); });
    for (auto& thread : threads) thread.join();
    for (Place& place : places_) close(place);
  }

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

  [[nodiscard]] std::string summary() {
    std::ostringstream text;
    text << runs_started_ << " runs, " << contexts_ << " contexts, " << kills_
         << " kills from outside;";
    for (const auto& [what, count] : ends_) text << " " << what << " " << count << ";";
    return text.str();
  }
  [[nodiscard]] std::size_t runs_started() const { return runs_started_; }
  [[nodiscard]] std::size_t runs_ended() {
    std::size_t sum = 0;
    for (const auto& [what, count] : ends_) sum += count;
    return sum;
  }

 private:
  using Random = std::mt19937_64;

  static std::size_t below(Random& random, std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  }

  void complain(const std::string& what) {
    const std::lock_guard lock(mutex_);
    std::fprintf(stderr, "chaos: %s\n", what.c_str());
    if (problems_.size() < 100) problems_.push_back(what);
  }

  void work(std::size_t number) {
    Random random(seed_ * 1000 + number);
    while (Clock::now() < end_) {
      Place& place = places_.at(below(random, kSessions));
      const auto session = open(place, random);
      if (!session) continue;
      switch (below(random, 16)) {
        case 0:
          place.interrupted.note();
          session->interrupt();
          break;
        case 1:
          close(place);
          break;
        case 2:
          interrupt_started(place, *session, random);
          break;
        case 3:
          close_under_run(place, *session);
          break;
        case 4:
          transfer(place, *session, random);
          break;
        case 5:
          question(place, *session, random);
          break;
        case 6:
          burst(place, *session);
          break;
        default:
          run(place, *session, kinds_.at(below(random, kinds_.size())));
      }
    }
  }

  /// Null: it could not be opened just now.
  std::shared_ptr<Session> open(Place& place, Random& random) {
    {
      const std::shared_lock lock(place.mutex);
      if (place.session) return place.session;
    }
    const std::unique_lock lock(place.mutex);
    if (place.session) return place.session;
    place.shares = false;
    if (below(random, 4) == 0) return open_context(place, places_.at(below(random, kSessions)));
    SecurityPolicy policy;
    policy.grace = 300ms;
    policy.max_memory_bytes = 64ULL << 20;
    policy.workspace_bytes = 4ULL << 20;
    policy.background = opened_++ % 4 == 0 ? BackgroundThreads::end : BackgroundThreads::keep;
    policy.on_restart = opened_ % 3 == 0 ? OnRestart::reimport : OnRestart::fresh;
    const auto begin = Clock::now();
    auto opened = executor_.open_session(policy);
    if (!opened) {
      if (!killed_.since(begin - kAftermath)) complain("open: " + opened.error().message);
      return nullptr;
    }
    if (Clock::now() - begin > kHang) complain("open: it took too long");
    place.session = std::make_shared<Session>(*std::move(opened));
    return place.session;
  }

  /// With `place` locked, so that the other one must not be waited for.
  std::shared_ptr<Session> open_context(Place& place, Place& other) {
    if (&place == &other) return nullptr;
    const std::shared_lock lock(other.mutex, std::try_to_lock);
    if (!lock || !other.session) return nullptr;
    other.shares = true;
    place.shares = true;
    const auto begin = Clock::now();
    auto opened = other.session->open_context();
    if (Clock::now() - begin > kHang) complain("open_context: it took too long");
    if (!opened) {
      const bool excused = opened.error().kind == ErrorKind::unknown_session ||
                           killed_.since(begin - kAftermath) ||
                           other.closed.since(begin - kAftermath);
      if (!excused) complain("open_context: " + opened.error().message);
      return nullptr;
    }
    ++contexts_;
    place.session = std::make_shared<Session>(*std::move(opened));
    return place.session;
  }

  void close(Place& place) {
    const std::unique_lock lock(place.mutex);
    if (!place.session) return;
    place.closed.note();
    if (place.shares) place.shared.note();
    place.session->close();
    place.session.reset();
  }

  void run(Place& place, Session& session, const Kind& kind) {
    RunOptions options;
    options.timeout = kind.timeout;
    const auto begin = Clock::now();
    auto running = start(session, kind.code, options);
    await(place, running, kind, begin);
  }

  RunningExecution start(Session& session, const std::string& code, const RunOptions& options) {
    ++runs_started_;
    return session.start(code, options);
  }

  void await(Place& place, RunningExecution& running, const Kind& kind, Clock::time_point begin) {
    const auto result = running.wait_for(kHang);
    if (!result) {
      complain(std::string(kind.name) + ": no result within " + std::to_string(kHang.count()) +
               " s");
      running.interrupt();
      static_cast<void>(running.wait());
    }
    judge(place, kind, begin, result ? *result : running.wait());
  }

  void judge(Place& place, const Kind& kind, Clock::time_point begin,
             const ExecutionResult& result) {
    const std::string end = describe(result);
    {
      const std::lock_guard lock(mutex_);
      ++ends_[end];
      if (!ids_.insert(result.execution_id).second) {
        problems_.emplace_back("two results of one execution");
      }
      order_.push_back(result.execution_id);
      if (order_.size() > 10'000) {
        ids_.erase(order_.front());
        order_.pop_front();
      }
    }
    std::set<std::string> allowed(kind.ends.begin(), kind.ends.end());
    const auto shortly_before = begin - kAftermath;
    if (place.interrupted.since(shortly_before) || place.closed.since(shortly_before)) {
      allowed.insert("cancelled/caller");
    }
    if (place.shared_since(shortly_before)) {
      allowed.insert({"memory_limit/memory", "error/disk_full", "error/exception"});
    }
    if (killed_.since(shortly_before)) {
      allowed.insert(
          {"crashed/signal", "crashed/protocol", "host_error/zygote_lost", "host_error/host"});
    }
    if (allowed.count(end) == 0) {
      complain(std::string(kind.name) + " ended as " + end + ": " +
               (result.error ? result.error->name + ": " + result.error->value + "\n" +
                                   result.error->traceback
                             : "no error"));
    }
    if (kind.ends.front() == "ok/null" && end == "ok/null" && result.error) {
      complain(std::string(kind.name) + " is ok and has an error");
    }
    const bool lost = result.status == Status::crashed || result.status == Status::host_error ||
                      result.stopped_by == StoppedBy::sigkill;
    const bool started = result.execution_count > 0;
    if (lost && started && result.state != State::lost) {
      complain(std::string(kind.name) + ": " + end + " should have lost its state");
    }
    if (result.isolation.level.empty()) complain("a result without a report on isolation");
  }

  void interrupt_started(Place& place, Session& session, Random& random) {
    const Kind kind{"interrupted", "import time\ntime.sleep(300)", {"cancelled/caller"}, {}};
    const auto begin = Clock::now();
    auto running = start(session, kind.code, {});
    static_cast<void>(running.wait_for(std::chrono::milliseconds(below(random, 50))));
    running.interrupt();
    await(place, running, kind, begin);
  }

  void close_under_run(Place& place, Session& session) {
    const Kind kind{"closed", "while True: pass", {"cancelled/caller"}, {}};
    const auto begin = Clock::now();
    auto running = start(session, kind.code, {});
    close(place);
    // Somebody else may have closed it before: then the run was refused, which is the same.
    session.close();
    await(place, running, kind, begin);
  }

  void transfer(Place& place, Session& session, Random& random) {
    const auto begin = Clock::now();
    const std::string name = "up-" + std::to_string(below(random, 1'000'000));
    const std::string bytes(below(random, 20'000), static_cast<char>('a' + below(random, 26)));
    const auto path = session.upload(name, bytes);
    const auto back = path ? session.download(name) : Expected<std::string>(path.error());
    const bool whole = back && *back == bytes;
    // Others fill the workspace.
    const bool is_full = !back && (back.error().message.find("full") != std::string::npos ||
                                   back.error().message.find("space") != std::string::npos ||
                                   back.error().kind == ErrorKind::too_large);
    if (!whole && !is_full && !place.shared_since(begin - kAftermath) &&
        !place.closed.since(begin - kAftermath) && !killed_.since(begin - kAftermath)) {
      complain("transfer: " + (back ? "other bytes came back" : back.error().message));
    }
    static_cast<void>(session.run("import os\nfor name in os.listdir('.'): os.remove(name)"));
  }

  void question(Place& place, Session& session, Random& random) {
    const auto begin = Clock::now();
    std::string problem;
    switch (below(random, 4)) {
      case 0:
        if (const auto answer = session.variables(); !answer) problem = answer.error().message;
        break;
      case 1:
        if (const auto answer = session.complete("pri", 3); !answer) {
          problem = answer.error().message;
        }
        break;
      case 2:
        if (const auto answer = session.is_complete("for x in y:"); !answer) {
          problem = answer.error().message;
        }
        break;
      default:
        if (const auto answer = session.reset(); !answer) problem = answer.error().message;
    }
    if (!problem.empty() && !place.shared_since(begin - kAftermath) &&
        !place.closed.since(begin - kAftermath) && !killed_.since(begin - kAftermath)) {
      complain("question: " + problem);
    }
  }

  /// Several at once: they queue.
  void burst(Place& place, Session& session) {
    const Kind kind{"burst", "1 + 1", {"ok/null"}, {}};
    const auto begin = Clock::now();
    std::vector<RunningExecution> all;
    for (int i = 0; i < 5; ++i) all.push_back(start(session, kind.code, {}));
    all.back().interrupt();
    await(place, all.front(), kind, begin);
    const Kind last{"taken back", "1 + 1", {"ok/null", "cancelled/caller"}, {}};
    for (std::size_t i = 1; i < all.size(); ++i) {
      await(place, all[i], i + 1 < all.size() ? kind : last, begin);
    }
  }

  /// kill -9 of a session's processes, its cage's init or the zygote, in bouts: between them
  /// nothing excuses an end that was not asked for.
  void assassinate() {
    Random random(seed_);
    const auto pause_until = [this](Clock::time_point when) {
      return wait_until([&] { return Clock::now() > std::min(when, end_); }, 3600s);
    };
    while (Clock::now() < end_) {
      static_cast<void>(pause_until(Clock::now() + 15s));
      for (int i = 0; i < 5 && Clock::now() < end_; ++i) {
        const auto all = descendants_of(::getpid());
        if (all.empty()) break;
        const auto victim =
            std::next(all.begin(), static_cast<std::ptrdiff_t>(below(random, all.size())));
        const pid_t pid = i == 0 ? zygote_pid() : victim->first;
        killed_.note();
        if (pid > 0) ::kill(pid, SIGKILL);
        killed_.note();
        ++kills_;
        static_cast<void>(pause_until(Clock::now() + 200ms));
      }
    }
  }

  Executor& executor_;
  const unsigned long seed_;
  const std::vector<Kind> kinds_ = kinds();
  Clock::time_point end_;
  std::array<Place, kSessions> places_;
  Disturbance killed_;
  std::atomic<std::size_t> opened_ = 0;
  std::atomic<std::size_t> contexts_ = 0;
  std::atomic<std::size_t> runs_started_ = 0;
  std::atomic<std::size_t> kills_ = 0;

  std::mutex mutex_;
  std::vector<std::string> problems_;
  std::map<std::string, std::size_t> ends_;
  std::set<std::string> ids_;
  std::deque<std::string> order_;
};

}  // namespace cellblock::test

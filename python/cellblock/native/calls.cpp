#include "calls.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "errors.hpp"

namespace cellblock::sdk {

namespace py = pybind11;

namespace {

struct Calls {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t count = 0;
  bool ended = false;
};

/// Never destroyed: a thread may still come back when static objects are gone. A forked child
/// starts with a new one, since the old one's mutex may be locked for ever there.
Calls*& calls() {
  static Calls* all = [] {
    ::pthread_atfork(nullptr, nullptr, [] { calls() = new Calls; });
    return new Calls;
  }();
  return all;
}

}  // namespace

CallCount CallCount::enter() {
  bool ended = false;
  {
    const std::lock_guard lock(calls()->mutex);
    ended = calls()->ended;
    if (!ended) ++calls()->count;
  }
  if (ended) raise(ErrorKind::host_error, "Python is shutting down: no more calls are taken.");
  return {};
}

CallCount::CallCount(const CallCount& /*other*/) noexcept {
  const std::lock_guard lock(calls()->mutex);
  ++calls()->count;
}

CallCount::~CallCount() {
  const std::lock_guard lock(calls()->mutex);
  --calls()->count;
  calls()->changed.notify_all();
}

void CallCount::end_all(std::chrono::milliseconds limit) {
  const py::gil_scoped_release released;
  std::unique_lock lock(calls()->mutex);
  calls()->ended = true;
  calls()->changed.wait_for(lock, limit, [] { return calls()->count == 0; });
}

bool hears_signals() { return ::getpid() == ::gettid(); }

bool wait_hearing_signals(const WakeUp& wake_up, std::optional<std::chrono::nanoseconds> limit) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::nanoseconds;
  // A signal ends the wait at once, unless another thread took it.
  constexpr nanoseconds kLongestDeafness = std::chrono::milliseconds(200);
  constexpr nanoseconds kForEver = std::chrono::hours(24 * 365 * 100);
  // What is there is taken also when the interpreter is ending.
  if (wake_up.wait(nanoseconds(0))) return true;
  const CallCount count = CallCount::enter();
  const auto deadline = Clock::now() + limit.value_or(kForEver);
  while (true) {
    const auto left =
        std::clamp<nanoseconds>(deadline - Clock::now(), nanoseconds(0), kLongestDeafness);
    const bool woken = [&] {
      const py::gil_scoped_release released;
      return wake_up.wait(left);
    }();
    if (woken) return true;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (Clock::now() >= deadline) return false;
  }
}

}  // namespace cellblock::sdk

// How a call leaves Python: without the GIL, counted, and so that Ctrl-C is heard.
//
// No thread of the library ever enters Python: what it has to say is put where Python's own threads
// fetch it. So an interpreter that ends needs to wait for nothing but the calls that are counted
// here.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "wake_up.hpp"

namespace cellblock::sdk {

/// Counts a call for as long as it lives. Copies count too.
class CallCount final {
 public:
  /// Raises HostError when the interpreter is ending.
  static CallCount enter();
  /// From now on enter() raises. Waits without the GIL, `limit` at most, until no call is left.
  static void end_all(std::chrono::milliseconds limit);

  CallCount(const CallCount& other) noexcept;
  CallCount& operator=(const CallCount&) = delete;
  ~CallCount();

 private:
  CallCount() = default;
};

/// Runs `act` without the GIL.
template <class Act>
auto without_gil(Act act) {
  const CallCount count = CallCount::enter();
  const pybind11::gil_scoped_release released;
  return act();
}

/// Waits without the GIL until `wake_up` is signalled; false: not within the limit. On the main
/// thread Python's signal handlers run meanwhile, and what they raise is thrown.
bool wait_hearing_signals(const WakeUp& wake_up, std::optional<std::chrono::nanoseconds> limit);

/// Whether this is the thread that runs Python's signal handlers.
bool hears_signals();

/// Runs `act` without the GIL and hears signals meanwhile: then it goes on by itself, and what it
/// would have given is destroyed. So it must own all that it uses.
template <class Act>
auto interruptible(Act act) -> decltype(act()) {
  if (!hears_signals()) return without_gil(std::move(act));
  struct Errand {
    WakeUp done;
    std::optional<decltype(act())> result;
    std::exception_ptr failure;
  };
  const CallCount count = CallCount::enter();
  auto errand = std::make_shared<Errand>();
  std::thread([errand, count, act = std::move(act)]() mutable {
    try {
      errand->result.emplace(act());
    } catch (...) {
      errand->failure = std::current_exception();
    }
    errand->done.signal();
  }).detach();
  static_cast<void>(wait_hearing_signals(errand->done, std::nullopt));
  if (errand->failure) std::rethrow_exception(errand->failure);
  return *std::move(errand->result);
}

}  // namespace cellblock::sdk

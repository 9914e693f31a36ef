// Ends sessions whose time is over: one thread for an executor.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "host/watchdog.hpp"

namespace cellblock::host {

/// Not the watchdog's thread: to end a session takes locks that deadlines must not wait for.
/// Thread-safe.
class ExpiryClock final {
 public:
  /// `look`: ends what is due and says when to look again. Called on the clock's thread; it must
  /// not end the clock.
  explicit ExpiryClock(std::function<Clock::time_point(Clock::time_point now)> look);
  ~ExpiryClock();
  ExpiryClock(const ExpiryClock&) = delete;
  ExpiryClock& operator=(const ExpiryClock&) = delete;

  /// There is something new, which is due then at the earliest.
  void look_at(Clock::time_point when);

 private:
  void loop();

  const std::function<Clock::time_point(Clock::time_point)> look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point next_ = Clock::time_point::max();
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cellblock::host

#include "host/expiry_clock.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cellblock::host {

ExpiryClock::ExpiryClock(std::function<Clock::time_point(Clock::time_point)> look)
    : look_(std::move(look)), thread_([this] { loop(); }) {}

ExpiryClock::~ExpiryClock() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void ExpiryClock::look_at(Clock::time_point when) {
  const std::lock_guard lock(mutex_);
  if (when >= next_) return;
  next_ = when;
  changed_.notify_one();
}

void ExpiryClock::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = Clock::now();
    if (now < next_) {
      constexpr std::chrono::hours kLongestSleep{1};
      changed_.wait_until(lock, std::min(next_, now + kLongestSleep));
      continue;
    }
    // What is told meanwhile is looked at in its own time.
    next_ = Clock::time_point::max();
    lock.unlock();
    const auto next = look_(now);
    lock.lock();
    next_ = std::min(next_, next);
  }
}

}  // namespace cellblock::host

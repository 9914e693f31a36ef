// Waiting for what comes in its own time.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace cellblock::test {

using namespace std::chrono_literals;

inline constexpr auto kLong = 60s;

/// Looks again and again until it is so; false: not within the limit.
inline bool wait_until(const std::function<bool()>& is_so,
                       std::chrono::milliseconds limit = kLong) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

}  // namespace cellblock::test

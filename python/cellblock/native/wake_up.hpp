// A flag that a thread can wait for, and an event loop, too: an eventfd.
#pragma once

#include <chrono>

#include "base/unique_fd.hpp"

namespace cellblock::sdk {

/// Thread-safe.
class WakeUp final {
 public:
  /// Throws std::system_error where no descriptor is left.
  WakeUp();

  void signal() noexcept;
  void clear() noexcept;
  /// False: not signalled within the limit, or interrupted by a signal.
  [[nodiscard]] bool wait(std::chrono::nanoseconds limit) const noexcept;
  /// Readable while it is signalled.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  base::UniqueFd fd_;
};

}  // namespace cellblock::sdk

// The outcome of one step between fork and ready, where nothing may allocate or lock.
#pragma once

#include <cerrno>

namespace cellblock::sandbox {

/// True (as a bool) when the step failed. `step` is a literal that says what could not be done.
struct [[nodiscard]] Failure {
  const char* step = nullptr;
  int error = 0;

  explicit operator bool() const noexcept { return step != nullptr; }
};

/// For system calls that answer 0 or more when they worked: `return check(::setsid(), "…");`
inline Failure check(long result, const char* step) noexcept {
  return result < 0 ? Failure{step, errno} : Failure{};
}

}  // namespace cellblock::sandbox

// The library's errors as Python exceptions (cellblock.errors).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cellblock/expected.hpp"

namespace cellblock::sdk {

/// Needs the GIL; throws the exception that stands for the kind.
[[noreturn]] void raise(ErrorKind kind, std::string_view message);

/// The value, or the error as an exception. Needs the GIL.
template <class T>
T value_or_raise(Expected<T> expected) {
  if (!expected) raise(expected.error().kind, expected.error().message);
  return *std::move(expected);
}

inline void value_or_raise(Expected<void> expected) {
  if (!expected) raise(expected.error().kind, expected.error().message);
}

}  // namespace cellblock::sdk

// The Python stacks that a session wrote when it crashed or was about to be killed.
#pragma once

#include <string>
#include <string_view>

namespace cellblock::host {

enum class StackOf {
  cell,  ///< the thread that runs the cell
  crash  ///< the thread that was hit by the signal
};

struct PythonStack {
  /// Valid UTF-8, the newest call last, without the machinery's frames; empty: none can be told.
  std::string traceback;
  /// There were more frames than are ever written, so that a crash was most likely a stack that
  /// overflowed.
  bool is_deep = false;
};

/// `dump` is what CPython's faulthandler writes. It comes from the session, so that it may be
/// anything: what has not that form is left out, and the result is bounded.
PythonStack read_python_stack(std::string_view dump, StackOf wanted);

}  // namespace cellblock::host

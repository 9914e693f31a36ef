// The global interpreter lock, for code that does not see Python.h.
#pragma once

namespace cellblock::python {

/// Lets other threads of the interpreter run during a blocking call. Nothing that another thread
/// may hold while it wants the lock may be held at the end of its life.
class GilRelease final {
 public:
  GilRelease();
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  void* state_;
};

/// Runs the handlers of signals that have arrived; what they raise is dropped, because no user
/// code is there to catch it. Call with the lock held.
void run_pending_signals();

}  // namespace cellblock::python

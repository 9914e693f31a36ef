// A further interpreter in this process: with a GIL of its own from CPython 3.12 on.
#pragma once

#include <functional>
#include <memory>

#include "cellblock/expected.hpp"

struct _is;  // PyInterpreterState
struct _ts;  // PyThreadState

namespace cellblock::python {

/// The process's first interpreter, or one made by create(). Neither is ended by its destructor.
class Subinterpreter final {
 public:
  /// With a thread state of the main interpreter current, whose GIL is held again afterwards. Takes
  /// about ten milliseconds.
  static Expected<std::unique_ptr<Subinterpreter>> create();
  static std::unique_ptr<Subinterpreter> main();

  /// Whether end() gives the memory back: of one with a GIL of its own some seven megabytes stay
  /// (measured on CPython 3.12 and 3.13).
  static bool end_frees_memory();

  [[nodiscard]] struct _is* state() const { return state_; }
  [[nodiscard]] bool is_main() const { return is_main_; }

  /// Does some work in it, on the thread that made it, which is its main thread to Python; as
  /// create() was called. Not for main().
  void visit(const std::function<void()>& work);
  /// The same for good.
  void move_in();
  /// Ends it, likewise. False when threads of it still live, whom it would take the
  /// ground from under: it is then left as it is, for good.
  bool end();

  /// Raises KeyboardInterrupt in the thread, if `still_wanted` says so with the GIL held. Blocks
  /// until the GIL is to be had: in C code that does not give it up, that long. From any thread
  /// without a thread state.
  void interrupt(unsigned long thread, const std::function<bool()>& still_wanted);

 private:
  friend class Attachment;
  Subinterpreter(struct _is* state, struct _ts* first_thread, bool is_main)
      : state_(state), first_thread_(first_thread), is_main_(is_main) {}

  struct _is* state_;
  struct _ts* first_thread_;  // of its making
  bool is_main_;
};

/// The calling thread as one of the interpreter's, with its GIL. The thread must have no other one
/// current.
class Attachment final {
 public:
  static std::unique_ptr<Attachment> to(Subinterpreter& interpreter);
  /// In that thread, with the GIL held; gives it up.
  ~Attachment();
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  explicit Attachment(struct _ts* state) : state_(state) {}
  struct _ts* state_;
};

/// What a thread is called in interrupt(): the calling one.
unsigned long current_thread();
/// Takes back an interrupt that has not been raised yet. GIL held.
void drop_interrupt(unsigned long thread);

/// Signals reach Python code only in the main interpreter: lets a thread wait for SIGINT and pass
/// it on. For a process that has one session; called by its only thread, with the GIL held.
void interrupt_on_sigint(Subinterpreter& interpreter);

/// Makes our builtin modules known to the calling interpreter, if it started without them. False
/// with an exception set.
bool provide_builtin_modules();

/// True when the thread holds the GIL of the interpreter that it entered Python with.
bool holds_gil();

}  // namespace cellblock::python

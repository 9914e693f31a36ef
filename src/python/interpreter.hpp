// The embedded CPython.
#pragma once

#include <string>

#include "cellblock/expected.hpp"

namespace cellblock::python {

/// Starts the interpreter, isolated from the user's environment and site, with UTF-8 everywhere, as
/// if it were the program `executable` (so that the packages of its virtual environment are found),
/// with the frozen runtime, `_cellblock_session` and the import guard in it. Once a process; the
/// calling thread becomes Python's main thread and holds the GIL. Nothing is ever finalised:
/// processes _exit.
Expected<void> start_interpreter(const std::string& executable);

/// The same for an interpreter that the host program has started: adds the runtime and the guard.
/// GIL held.
Expected<void> adopt_interpreter();

/// Whether somebody has started Python in this process.
bool interpreter_runs();

/// Lets go of the GIL that starting or adopting left with the calling thread; it stays known to
/// Python. Returns what resume_thread() takes.
void* pause_thread();
void resume_thread(void* paused);

/// sys.executable; GIL held, as above.
std::string interpreter_executable();

/// For example "3.11.2".
std::string interpreter_version();

/// Collects once and puts everything that is alive out of the collector's reach, so that a child's
/// collections do not copy the parent's pages. The collector stays off until after_fork_child().
Expected<void> freeze_heap();

}  // namespace cellblock::python

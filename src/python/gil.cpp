#include "python/gil.hpp"

#include "python/python_compat.hpp"

namespace cellblock::python {

GilRelease::GilRelease() : state_(PyEval_SaveThread()) {}

GilRelease::~GilRelease() { PyEval_RestoreThread(static_cast<PyThreadState*>(state_)); }

void run_pending_signals() {
  if (PyErr_CheckSignals() != 0) PyErr_Clear();
}

}  // namespace cellblock::python

// Every difference between CPython versions, and the one place that includes Python.h.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if PY_VERSION_HEX < 0x030B0000
#error "Cellblock needs CPython 3.11 or newer."
#endif

namespace cellblock::python::compat {

/// The current exception as a new reference, no longer set; null when there is none.
inline PyObject* take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
#endif
}

/// An entry of PyImport_FrozenModules.
inline _frozen frozen_module(const char* name, const unsigned char* code, int size,
                             bool is_package) {
  _frozen module{};  // 3.11 and 3.12 have a further member
  module.name = name;
  module.code = code;
  module.size = size;
  module.is_package = is_package ? 1 : 0;
  return module;
}

/// A module's word that it works in subinterpreters with a GIL of their own; 3.11 asks for none.
inline PyModuleDef_Slot own_gil_slot() {
#if PY_VERSION_HEX >= 0x030C0000
  return {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED};
#else
  return {0, nullptr};
#endif
}

/// Who holds the GIL: up to 3.11 whichever thread it is, later this one or nobody.
inline PyThreadState* current_thread_state() {
#if PY_VERSION_HEX >= 0x030D0000
  return PyThreadState_GetUnchecked();
#else
  return _PyThreadState_UncheckedGet();
#endif
}

/// Whether interpreters have a GIL each.
inline constexpr bool kOwnGil = PY_VERSION_HEX >= 0x030C0000;

/// The new interpreter's first thread state, which is current then; null when it cannot be made.
inline PyThreadState* new_interpreter() {
#if PY_VERSION_HEX >= 0x030C0000
  // Isolated, but for daemon threads: who ends it looks for threads first.
  PyInterpreterConfig config{};
  config.use_main_obmalloc = 0;
  config.allow_fork = 0;
  config.allow_exec = 0;
  config.allow_threads = 1;
  config.allow_daemon_threads = 1;
  config.check_multi_interp_extensions = 1;
  config.gil = PyInterpreterConfig_OWN_GIL;
  PyThreadState* made = nullptr;
  const PyStatus status = Py_NewInterpreterFromConfig(&made, &config);
  return PyStatus_Exception(status) != 0 ? nullptr : made;
#else
  return Py_NewInterpreter();
#endif
}

/// Ends the interpreter of `last`, which is current; `next` of another one is current then.
inline void end_interpreter(PyThreadState* last, PyThreadState* next) {
  Py_EndInterpreter(last);
#if PY_VERSION_HEX >= 0x030C0000
  PyEval_RestoreThread(next);
#else
  PyThreadState_Swap(next);  // the one GIL is still held
#endif
}

}  // namespace cellblock::python::compat

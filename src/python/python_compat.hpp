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

}  // namespace cellblock::python::compat

#include "python/interpreter.hpp"

#include <clocale>
#include <csignal>
#include <vector>

#include "python/frozen_runtime.hpp"
#include "python/import_guard.hpp"
#include "python/py_ref.hpp"
#include "python/session_module.hpp"

namespace cellblock::python {
namespace {

Error failed(const std::string& executable, const PyStatus& status) {
  return Error{ErrorKind::host_error,
               "Python cannot start with " + executable + " (" +
                   (status.err_msg != nullptr ? status.err_msg : "unknown reason") +
                   "): check that its standard library is complete."};
}

// CPython keeps the pointer for its life.
void register_frozen_runtime() {
  static std::vector<_frozen> table;
  for (const _frozen* other = PyImport_FrozenModules; other != nullptr && other->name != nullptr;
       ++other) {
    table.push_back(*other);
  }
  for (const FrozenSource& source : frozen_runtime()) {
    table.push_back(
        compat::frozen_module(source.name, source.code, source.size, source.is_package));
  }
  table.push_back({});
  PyImport_FrozenModules = table.data();
}

PyStatus configure(PyConfig& config, const std::string& executable) {
  config.install_signal_handlers = 0;
  config.write_bytecode = 0;
  config.parse_argv = 0;
  config.buffered_stdio = 1;
  for (wchar_t** field : {&config.program_name, &config.executable}) {
    const PyStatus status = PyConfig_SetBytesString(&config, field, executable.c_str());
    if (PyStatus_Exception(status) != 0) return status;
  }
  return Py_InitializeFromConfig(&config);
}

}  // namespace

Expected<void> start_interpreter(const std::string& executable) {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  // As Python's own start-up does it: EPIPE and EFBIG become exceptions instead of signals.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  PyPreConfig preconfig;
  PyPreConfig_InitIsolatedConfig(&preconfig);
  preconfig.utf8_mode = 1;
  if (const PyStatus status = Py_PreInitialize(&preconfig); PyStatus_Exception(status) != 0) {
    return failed(executable, status);
  }
  register_session_module();
  if (auto registered = register_import_guard(); !registered) return registered;
  register_frozen_runtime();

  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  const PyStatus status = configure(config, executable);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status) != 0) return failed(executable, status);
  return {};
}

Expected<void> adopt_interpreter() {
  if (auto registered = register_import_guard(); !registered) return registered;
  register_frozen_runtime();
  return {};
}

bool interpreter_runs() { return Py_IsInitialized() != 0; }

void* pause_thread() { return PyEval_SaveThread(); }

void resume_thread(void* paused) { PyEval_RestoreThread(static_cast<PyThreadState*>(paused)); }

std::string interpreter_executable() {
  PyObject* const path = PySys_GetObject("executable");
  const char* utf8 = path != nullptr && PyUnicode_Check(path) ? PyUnicode_AsUTF8(path) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  return utf8 == nullptr ? "" : utf8;
}

std::string interpreter_version() {
  const std::string whole = Py_GetVersion();
  return whole.substr(0, whole.find(' '));
}

Expected<void> freeze_heap() {
  PyGC_Collect();
  PyGC_Disable();
  const PyRef gc(PyImport_ImportModule("gc"));
  if (gc) {
    const PyRef none(PyObject_CallMethod(gc.get(), "freeze", nullptr));
    if (none) return {};
  }
  PyErr_Clear();
  return Error{ErrorKind::host_error, "Python's garbage collector cannot be frozen."};
}

}  // namespace cellblock::python

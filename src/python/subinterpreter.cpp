#include "python/subinterpreter.hpp"

#include <csignal>
#include <string>
#include <thread>
#include <utility>

#include "python/import_guard.hpp"
#include "python/py_ref.hpp"
#include "python/raised.hpp"
#include "python/session_module.hpp"

namespace cellblock::python {
namespace {

int count_threads(PyInterpreterState* interpreter) {
  int count = 0;
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(interpreter); thread != nullptr;
       thread = PyThreadState_Next(thread)) {
    ++count;
  }
  return count;
}

bool add_module(const char* name, PyObject* definition) {
  const PyRef machinery(PyImport_ImportModule("importlib.machinery"));
  const PyRef spec(machinery
                       ? PyObject_CallMethod(machinery.get(), "ModuleSpec", "sO", name, Py_None)
                       : nullptr);
  auto* const module_definition = reinterpret_cast<PyModuleDef*>(definition);
  const PyRef module(spec ? PyModule_FromDefAndSpec(module_definition, spec.get()) : nullptr);
  return module && PyModule_ExecDef(module.get(), module_definition) == 0 &&
         PyDict_SetItemString(PyImport_GetModuleDict(), name, module.get()) == 0;
}

}  // namespace

Expected<std::unique_ptr<Subinterpreter>> Subinterpreter::create() {
  PyThreadState* const caller = PyThreadState_Get();
  PyThreadState* const made = compat::new_interpreter();
  if (made == nullptr) {
    if (PyThreadState_Swap(caller) == caller) PyErr_Clear();
    return Error{ErrorKind::host_error,
                 "Python cannot make another interpreter: close sessions, or use the main one."};
  }
  PyInterpreterState* const state = PyThreadState_GetInterpreter(made);
  PyEval_SaveThread();
  PyEval_RestoreThread(caller);
  return std::unique_ptr<Subinterpreter>(new Subinterpreter(state, made, false));
}

std::unique_ptr<Subinterpreter> Subinterpreter::main() {
  return std::unique_ptr<Subinterpreter>(
      new Subinterpreter(PyInterpreterState_Main(), nullptr, true));
}

void Subinterpreter::visit(const std::function<void()>& work) {
  PyThreadState* const caller = PyEval_SaveThread();
  PyEval_RestoreThread(first_thread_);
  work();
  PyEval_SaveThread();
  PyEval_RestoreThread(caller);
}

void Subinterpreter::move_in() {
  PyEval_SaveThread();
  PyEval_RestoreThread(first_thread_);
}

bool Subinterpreter::end_frees_memory() { return !compat::kOwnGil; }

bool Subinterpreter::end() {
  PyThreadState* const caller = PyEval_SaveThread();
  PyEval_RestoreThread(first_thread_);
  if (count_threads(state_) > 1) {
    PyEval_SaveThread();
    PyEval_RestoreThread(caller);
    return false;
  }
  compat::end_interpreter(std::exchange(first_thread_, nullptr), caller);
  return true;
}

void Subinterpreter::interrupt(unsigned long thread, const std::function<bool()>& still_wanted) {
  const auto attached = Attachment::to(*this);
  if (still_wanted()) PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt);
}

std::unique_ptr<Attachment> Attachment::to(Subinterpreter& interpreter) {
  PyThreadState* const state = PyThreadState_New(interpreter.state_);
  PyEval_RestoreThread(state);
  return std::unique_ptr<Attachment>(new Attachment(state));
}

Attachment::~Attachment() {
  PyThreadState_Clear(state_);
  PyThreadState_DeleteCurrent();
}

unsigned long current_thread() { return PyThread_get_thread_ident(); }

void drop_interrupt(unsigned long thread) { PyThreadState_SetAsyncExc(thread, nullptr); }

void interrupt_on_sigint(Subinterpreter& interpreter) {
  sigset_t sigint;
  ::sigemptyset(&sigint);
  ::sigaddset(&sigint, SIGINT);
  // Threads that user code starts inherit the mask; only the waiting one takes the signal.
  ::pthread_sigmask(SIG_BLOCK, &sigint, nullptr);
  std::thread([&interpreter, sigint, thread = current_thread()] {
    for (int signal = 0; ::sigwait(&sigint, &signal) == 0;) {
      interpreter.interrupt(thread, [] { return true; });
    }
  }).detach();
}

bool provide_builtin_modules() {
  PyObject* const modules = PyImport_GetModuleDict();
  const PyRef session(PyImport_ImportModule("_cellblock_session"));
  if (session) return true;
  PyErr_Clear();
  return modules != nullptr && add_module("_cellblock_session", session_module_definition()) &&
         add_module("_cellblock_guard", import_guard_definition());
}

// PyGILState_Check() says yes to everyone once there are two interpreters.
bool holds_gil() {
  if (Py_IsInitialized() == 0) return false;
  PyThreadState* const mine = PyGILState_GetThisThreadState();
  return mine != nullptr && mine == compat::current_thread_state();
}

}  // namespace cellblock::python

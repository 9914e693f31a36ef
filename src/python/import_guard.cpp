#include "python/import_guard.hpp"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <string_view>
#include <utility>

#include "python/guard.hpp"

namespace cellblock::python {
namespace {

using policy::ImportRules;

// The audit hook belongs to the whole process and is asked for every event: while no interpreter
// has an active guard it returns at once.
std::atomic<int> active_guards{0};

constexpr const char* kModuleKey = "cellblock.import_guard";

struct ModuleState {
  Guard* guard;
  PyObject* import_module;  // importlib's own
};

ModuleState& state_of(PyObject* module) {
  return *static_cast<ModuleState*>(PyModule_GetState(module));
}

Guard& guard_of(PyObject* module) { return *state_of(module).guard; }

std::string_view view_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  return utf8 == nullptr ? std::string_view()
                         : std::string_view(utf8, static_cast<std::size_t>(size));
}

// --- __import__ --------------------------------------------------------------------------------

struct ImportCall {
  PyObject* name = nullptr;
  PyObject* globals = nullptr;
  PyObject* locals = nullptr;
  PyObject* fromlist = nullptr;
  int level = 0;
  bool by_statement = false;  ///< or by C code: both give all five
};

/// False with an exception set.
bool read_call(PyObject* const* arguments, Py_ssize_t count, PyObject* names, ImportCall& call) {
  constexpr std::array<const char*, 5> kNames{"name", "globals", "locals", "fromlist", "level"};
  std::array<PyObject*, 5> values{};
  if (count > 5) {
    PyErr_SetString(PyExc_TypeError, "__import__() takes at most 5 arguments");
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = arguments[i];
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    std::size_t at = 0;
    while (at < kNames.size() && view_of(PyTuple_GET_ITEM(names, i)) != kNames[at]) ++at;
    if (at == kNames.size() || values[at] != nullptr) {
      PyErr_SetString(PyExc_TypeError, "__import__() got an unexpected or repeated argument");
      return false;
    }
    values[at] = arguments[count + i];
  }
  call = {.name = values[0], .globals = values[1], .locals = values[2], .fromlist = values[3]};
  call.by_statement = count == 5 && named == 0;
  if (call.name == nullptr) {
    PyErr_SetString(PyExc_TypeError, "__import__() missing required argument 'name' (pos 1)");
    return false;
  }
  if (values[4] != nullptr) {
    call.level = static_cast<int>(PyLong_AsLong(values[4]));
    if (call.level == -1 && PyErr_Occurred() != nullptr) return false;
  }
  return true;
}

/// PyImport_Import's own arguments: C code of the interpreter or of a library wants a module that
/// it needs (time.strptime its `_strptime`), with whatever frame is current.
bool comes_from_c(const ImportCall& call) {
  return call.by_statement && call.globals == call.locals && call.fromlist != nullptr &&
         PyList_CheckExact(call.fromlist) && PyList_GET_SIZE(call.fromlist) == 0;
}

/// The first module of the call that the rules refuse to user code; empty: none.
std::string refused_part(const ImportRules& rules, std::string_view name, const ImportCall& call) {
  const auto verdict = rules.judge(name);
  if (verdict == ImportRules::Verdict::refused) return std::string(name);
  if (verdict == ImportRules::Verdict::whole || call.fromlist == nullptr) return {};
  if (!PyTuple_Check(call.fromlist) && !PyList_Check(call.fromlist)) return {};
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(call.fromlist); ++i) {
    const std::string_view item = view_of(PySequence_Fast_GET_ITEM(call.fromlist, i));
    std::string part = std::string(name) + "." + std::string(item);
    if (!item.empty() && item != "*" && !rules.allows(part)) return part;
  }
  return {};
}

/// True with an exception set.
bool is_refused(Guard& guard, const ImportCall& call) {
  const std::string_view name = view_of(call.name);
  // What is relative stays within its own package; an empty name is for the original to refuse.
  if (!guard.active() || call.level != 0 || name.empty()) return false;
  const std::string part = refused_part(guard.rules(), name, call);
  if (part.empty() || comes_from_c(call)) return false;
  return guard.importer(!call.by_statement) == Origin::user && guard.refuse_import(part);
}

PyObject* guarded_import(PyObject* module, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* names) {
  ImportCall call;
  if (!read_call(arguments, count, names, call)) return nullptr;
  if (is_refused(guard_of(module), call)) return nullptr;
  return PyImport_ImportModuleLevelObject(call.name, call.globals, call.locals, call.fromlist,
                                          call.level);
}

// --- the other ways ----------------------------------------------------------------------------

/// importlib.import_module: modules that are loaded already never come to a finder.
PyObject* guarded_import_module(PyObject* module, PyObject* const* arguments, Py_ssize_t count,
                                PyObject* names) {
  Guard& guard = guard_of(module);
  const std::string_view name = count > 0 ? view_of(arguments[0]) : std::string_view();
  if (guard.active() && !name.empty() && name[0] != '.' && !guard.rules().allows(name) &&
      guard.importer(true) == Origin::user && guard.refuse_import(name)) {
    return nullptr;
  }
  return PyObject_Vectorcall(state_of(module).import_module, arguments,
                             static_cast<std::size_t>(count), names);
}

PyObject* find_spec(PyObject* module, PyObject* const* arguments, Py_ssize_t count,
                    PyObject* /*names*/) {
  Guard& guard = guard_of(module);
  const std::string_view name = count > 0 ? view_of(arguments[0]) : std::string_view();
  if (guard.active() && !name.empty() && !guard.rules().allows(name) &&
      guard.seeker() == Origin::user && guard.refuse_import(name)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* allows(PyObject* module, PyObject* name) {
  return PyBool_FromLong(guard_of(module).rules().allows(view_of(name)) ? 1 : 0);
}

PyObject* refuse(PyObject* module, PyObject* name) {
  Guard& guard = guard_of(module);
  const std::string_view text = view_of(name);
  if (guard.active() && !guard.rules().allows(text) && guard.refuse_import(text)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* refuse_call(PyObject* module, PyObject* name) {
  Guard& guard = guard_of(module);
  const std::string_view event = view_of(name);
  const AuditedCall* call = find_audited_call(event);
  if (!guard.active() || call == nullptr || guard.lifts(*call)) Py_RETURN_NONE;
  guard.refuse_call(event);
  return nullptr;
}

// --- the audit hook ----------------------------------------------------------------------------

Guard* guard_of_interpreter() {
  PyObject* dict = PyInterpreterState_GetDict(PyInterpreterState_Get());
  PyObject* module = dict == nullptr ? nullptr : PyDict_GetItemString(dict, kModuleKey);
  return module == nullptr ? nullptr : &guard_of(module);
}

/// asyncio makes a pair of these for itself.
bool is_local_socket(std::string_view event, PyObject* arguments) {
  return event == "socket.__new__" && PyTuple_Check(arguments) && PyTuple_GET_SIZE(arguments) > 1 &&
         PyLong_Check(PyTuple_GET_ITEM(arguments, 1)) &&
         PyLong_AsLong(PyTuple_GET_ITEM(arguments, 1)) == AF_UNIX;
}

int on_audit_event(const char* event, PyObject* arguments, void* /*unused*/) {
  if (active_guards.load(std::memory_order_relaxed) == 0) return 0;
  const AuditedCall* call = find_audited_call(event);
  if (call == nullptr) return 0;
  Guard* guard = guard_of_interpreter();
  if (guard == nullptr || !guard->active() || guard->lifts(*call)) return 0;
  if (guard->caller_of(*call) != Origin::user) {
    if (!call->usual_in_libraries && !is_local_socket(event, arguments)) guard->count(event);
    return 0;
  }
  guard->refuse_call(event);
  return -1;
}

// --- the module --------------------------------------------------------------------------------

template <class Function>
PyCFunction method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"__import__", method(&guarded_import), METH_FASTCALL | METH_KEYWORDS,
     "Import a module, if it is allowed to whoever asks."},
    {"import_module", method(&guarded_import_module), METH_FASTCALL | METH_KEYWORDS,
     "Import a module, if it is allowed to whoever asks."},
    {"find_spec", method(&find_spec), METH_FASTCALL | METH_KEYWORDS,
     "Find nothing; refuse what user code may not import."},
    {"allows", &allows, METH_O, "Whether user code may import a module."},
    {"refuse", &refuse, METH_O, "Raise if user code may not import a module."},
    {"refuse_call", &refuse_call, METH_O, "Raise if user code may not make the audited call."},
    {nullptr, nullptr, 0, nullptr},
};

int execute(PyObject* module) {
  ModuleState& state = state_of(module);
  state.guard = new Guard;
  const PyRef importlib(PyImport_ImportModule("importlib"));
  if (importlib) state.import_module = PyObject_GetAttrString(importlib.get(), "import_module");
  return state.import_module == nullptr ? -1 : 0;
}

int traverse(PyObject* module, visitproc visit, void* arg) {
  const auto* state = static_cast<ModuleState*>(PyModule_GetState(module));
  if (state == nullptr) return 0;
  Py_VISIT(state->import_module);
  if (state->guard != nullptr) Py_VISIT(state->guard->refusal());
  return 0;
}

void release(void* module) {
  auto* state = static_cast<ModuleState*>(PyModule_GetState(static_cast<PyObject*>(module)));
  if (state == nullptr || state->guard == nullptr) return;
  if (state->guard->active()) --active_guards;
  delete std::exchange(state->guard, nullptr);
  Py_CLEAR(state->import_module);
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(&execute)},
    compat::own_gil_slot(),
    {0, nullptr},
};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_cellblock_guard",
    .m_doc = "Guidance on what code of this session may import.",
    .m_size = sizeof(ModuleState),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = &traverse,
    .m_clear = nullptr,
    .m_free = &release,
};

PyObject* init_module() { return PyModuleDef_Init(&definition); }

std::vector<std::string> search_paths() {
  std::vector<std::string> paths;
  PyObject* list = PySys_GetObject("path");
  const Py_ssize_t count = list != nullptr && PyList_Check(list) ? PyList_GET_SIZE(list) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    paths.emplace_back(view_of(PyList_GET_ITEM(list, i)));
  }
  return paths;
}

}  // namespace

Expected<void> register_import_guard() {
  static std::atomic<bool> added{false};
  if (added.exchange(true)) return {};
  if (Py_IsInitialized() == 0) PyImport_AppendInittab("_cellblock_guard", &init_module);
  if (PySys_AddAuditHook(&on_audit_event, nullptr) == 0) return {};
  PyErr_Clear();
  added = false;
  return Error{ErrorKind::host_error,
               "Python refuses an audit hook: set import_guard to \"off\" or remove the hook that "
               "objects."};
}

PyObject* import_guard_definition() { return init_module(); }

bool activate_import_guard(PyObject* module, const std::vector<std::string>& allowed_imports,
                           const std::string& workspace, Strangers strangers, PyObject* refusal) {
  PyObject* dict = PyInterpreterState_GetDict(PyInterpreterState_Get());
  if (dict == nullptr || PyDict_SetItemString(dict, kModuleKey, module) != 0) return false;
  Guard& guard = guard_of(module);
  if (!guard.active()) ++active_guards;
  guard.activate(ImportRules(allowed_imports), CodeOrigins(search_paths(), workspace, strangers),
                 PyRef(Py_NewRef(refusal)));
  return true;
}

void deactivate_import_guard(PyObject* module) {
  Guard& guard = guard_of(module);
  if (guard.active()) --active_guards;
  guard.deactivate();
}

std::map<std::string, std::uint64_t> take_policy_events(PyObject* module) {
  return guard_of(module).take_events();
}

}  // namespace cellblock::python

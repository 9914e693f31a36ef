#include "python/runtime.hpp"

#include <mutex>
#include <utility>

#include "base/usage.hpp"
#include "python/display_sink.hpp"
#include "python/gil.hpp"
#include "python/import_guard.hpp"
#include "python/message_pack.hpp"
#include "python/py_ref.hpp"
#include "python/raised.hpp"
#include "python/runtime_values.hpp"
#include "python/session_module.hpp"
#include "python/subinterpreter.hpp"

namespace cellblock::python {
namespace {

Error failed(const std::string& what) { return Error{ErrorKind::host_error, what}; }

std::string capitalised(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] -= 'a' - 'A';
  return sentence;
}

PyRef function_of(PyObject* module, const char* name) {
  return PyRef(PyObject_GetAttrString(module, name));
}

/// The reply's body, or nothing when it is over the size limit.
bool encode_execute_reply(PyObject* reply, std::uint64_t cpu_us, PyObject* guard_module,
                          std::string& body) {
  MessagePackWriter writer(body);
  constexpr std::uint32_t own_entries = 3;
  writer.map_header(static_cast<std::uint32_t>(PyDict_Size(reply)) + own_entries);
  writer.string("cpu_us");
  writer.unsigned_integer(cpu_us);
  writer.string("max_rss_bytes");
  writer.unsigned_integer(base::process_max_rss_bytes());
  const auto events = take_policy_events(guard_module);
  writer.string("policy_events");
  writer.map_header(static_cast<std::uint32_t>(events.size()));
  for (const auto& [name, count] : events) {
    writer.string(name);
    writer.unsigned_integer(count);
  }
  return encode_entries(reply, body);
}

}  // namespace

// Strong references, so that neither `sys.modules.clear()` nor `del` takes them away.
struct Runtime::Functions {
  PyRef modules;  // a copy of sys.modules: our modules' globals live as long as they do
  PyRef session_module;
  PyRef guard_module;
  PyRef refusal;
  PyRef preload;
  PyRef start;
  PyRef execute;
  PyRef complete;
  PyRef inspect;
  PyRef is_complete;
  PyRef variables;
  PyRef reset;
  PyRef shutdown;
  PyRef take_turn;
  PyRef end_turn;
  PyRef leave;
  PyRef remember;
  PyRef wash;
  PyRef installed;

  // Of the session:
  DisplaySink* sink = nullptr;
  PyRef lodger;
  bool is_shared = false;
  protocol::SessionConfig config;  // if it is

  bool activate_guard(const protocol::SessionConfig& used) {
    if (used.import_guard == "off") return true;
    return activate_import_guard(guard_module.get(), used.allowed_imports, used.workspace,
                                 is_shared ? Strangers::hosts : Strangers::users, refusal.get());
  }
};

/// A shared interpreter's things are the session's as long as it lives. GIL held on both ends.
class Runtime::Turn final {
 public:
  explicit Turn(Functions& functions) : functions_(functions.is_shared ? &functions : nullptr) {
    if (functions_ == nullptr) return;
    if (!one_at_a_time().try_lock()) {
      // Whoever has the turn needs the GIL to end it.
      const GilRelease unlocked;
      one_at_a_time().lock();
    }
    connect_session_module(functions_->session_module.get(), *functions_->sink);
    if (!functions_->lodger) return;  // the first turn: start() sets everything
    if (!functions_->activate_guard(functions_->config)) take_raised();
    call(functions_->take_turn);
  }
  ~Turn() {
    if (functions_ == nullptr) return;
    call(functions_->end_turn);
    deactivate_import_guard(functions_->guard_module.get());
    one_at_a_time().unlock();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  /// Only the main interpreter is ever shared.
  static std::mutex& one_at_a_time() {
    static std::mutex mutex;
    return mutex;
  }
  void call(const PyRef& function) const {
    if (!functions_->lodger) return;
    const PyRef none(PyObject_CallOneArg(function.get(), functions_->lodger.get()));
    if (!none) take_raised();
  }

  Functions* functions_;
};

Runtime::Runtime(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;
Runtime::~Runtime() = default;

Expected<Runtime> Runtime::load() {
  auto functions = std::make_unique<Functions>();
  const PyRef package(provide_builtin_modules() ? PyImport_ImportModule("cellblock_runtime")
                                                : nullptr);
  if (package) {
    functions->session_module = PyRef(PyImport_ImportModule("_cellblock_session"));
    functions->guard_module = PyRef(PyImport_ImportModule("_cellblock_guard"));
    functions->refusal = function_of(package.get(), "refusal");
    functions->preload = function_of(package.get(), "preload");
    functions->start = function_of(package.get(), "start");
    functions->execute = function_of(package.get(), "execute");
    functions->complete = function_of(package.get(), "complete");
    functions->inspect = function_of(package.get(), "inspect");
    functions->is_complete = function_of(package.get(), "is_complete");
    functions->variables = function_of(package.get(), "variables");
    functions->reset = function_of(package.get(), "reset");
    functions->shutdown = function_of(package.get(), "shutdown");
    functions->take_turn = function_of(package.get(), "take_turn");
    functions->end_turn = function_of(package.get(), "end_turn");
    functions->leave = function_of(package.get(), "leave");
    functions->remember = function_of(package.get(), "remember");
    functions->wash = function_of(package.get(), "wash");
    functions->installed = function_of(package.get(), "installed_names");
  }
  if (PyErr_Occurred() != nullptr) {
    return failed("The session runtime cannot be loaded (" + take_raised().sentence() + ").");
  }
  return Runtime(std::move(functions));
}

Expected<Runtime::Preloaded> Runtime::preload(const std::vector<std::string>& names,
                                              const HelperModule& helpers) {
  const PyRef list = to_list(names);
  const PyRef path = to_text(helpers.path);
  const PyRef source = to_text(helpers.source);
  const PyRef result(list && path && source
                         ? PyObject_CallFunctionObjArgs(functions_->preload.get(), list.get(),
                                                        path.get(), source.get(), nullptr)
                         : nullptr);
  if (!result) {
    const Raised raised = take_raised();
    if (raised.name == "WrongHelpers") return failed(capitalised(raised.value) + ".");
    return failed("The packages to preload cannot be prepared (" + raised.sentence() +
                  "): leave out the one that fails.");
  }
  Preloaded preloaded{.loaded = to_string_map(result.get(), "loaded"),
                      .missing = to_string_map(result.get(), "missing"),
                      .helpers = to_helpers(result.get(), "helpers"),
                      .installed = to_strings(result.get(), "installed"),
                      .folders = to_strings(result.get(), "folders")};
  functions_->modules = PyRef(PyDict_Copy(PyImport_GetModuleDict()));
  PyErr_Clear();
  return preloaded;
}

Expected<void> Runtime::write_stacks(int signal, int fd) {
  const PyRef module(PyImport_ImportModule("faulthandler"));
  const PyRef enable(module ? function_of(module.get(), "enable") : PyRef());
  const PyRef take(enable ? function_of(module.get(), "register") : PyRef());
  const PyRef none(PyTuple_New(0));
  const PyRef number(Py_BuildValue("(i)", signal));
  const PyRef options(Py_BuildValue("{s:i,s:O}", "file", fd, "all_threads", Py_True));
  if (take && none && number && options &&
      PyRef(PyObject_Call(enable.get(), none.get(), options.get())) &&
      PyRef(PyObject_Call(take.get(), number.get(), options.get()))) {
    return {};
  }
  return failed("Python cannot be told to write its stacks (" + take_raised().sentence() + ").");
}

Expected<void> Runtime::start(const protocol::SessionConfig& config, DisplaySink& sink,
                              const std::optional<Guest>& guest) {
  Functions& functions = *functions_;
  functions.sink = &sink;
  functions.is_shared = guest && guest->is_shared;
  if (functions.is_shared) functions.config = config;
  const Turn turn(functions);
  connect_session_module(functions.session_module.get(), sink);
  const bool guarded = config.import_guard != "off";
  const PyRef dict = to_dict(config);
  const PyRef lodging = guest ? to_dict(*guest) : PyRef(Py_NewRef(Py_None));
  if (dict && lodging && functions.activate_guard(config)) {
    PyRef lodger(PyObject_CallFunctionObjArgs(functions.start.get(), dict.get(),
                                              guarded ? functions.guard_module.get() : Py_None,
                                              lodging.get(), nullptr));
    if (lodger) {
      functions.lodger = std::move(lodger);
      return {};
    }
  }
  return failed("The session cannot start its Python (" + take_raised().sentence() + ").");
}

std::string Runtime::execute(const protocol::ExecuteRequest& request) {
  const Turn turn(*functions_);
  const std::uint64_t cpu_before = base::process_cpu_us();
  const PyRef code = to_text(request.code);
  const PyRef count(PyLong_FromUnsignedLongLong(request.execution_count));
  const PyRef imports(to_list(request.imports));
  const PyRef reply(code && count && imports
                        ? PyObject_CallFunctionObjArgs(functions_->execute.get(), code.get(),
                                                       count.get(), imports.get(), nullptr)
                        : nullptr);
  const std::uint64_t cpu_us = base::process_cpu_us() - cpu_before;
  Raised raised;
  std::string body;
  if (reply && PyDict_Check(reply.get())) {
    if (encode_execute_reply(reply.get(), cpu_us, functions_->guard_module.get(), body))
      return body;
    raised = {.name = "OverflowError", .value = "the reply is too large to be sent"};
  } else if (reply) {
    raised = {.name = "TypeError", .value = "the runtime gave no reply"};
  } else {
    raised = take_raised();
  }
  return execute_reply_of(raised, cpu_us);
}

namespace {

/// The encoded result of a call, or nothing when it raised or is too large.
std::string encoded(const PyRef& result) {
  std::string body;
  if (!result) {
    take_raised();
  } else if (!PyDict_Check(result.get()) || !encode_object(result.get(), body)) {
    body.clear();
  }
  return body;
}

PyRef call_with_cursor(const PyRef& function, const protocol::CodeRequest& request) {
  const PyRef code = to_text(request.code);
  const PyRef cursor(PyLong_FromUnsignedLongLong(request.cursor));
  if (!code || !cursor) return {};
  return PyRef(PyObject_CallFunctionObjArgs(function.get(), code.get(), cursor.get(), nullptr));
}

}  // namespace

std::string Runtime::complete(const protocol::CodeRequest& request) {
  const Turn turn(*functions_);
  std::string body = encoded(call_with_cursor(functions_->complete, request));
  return body.empty() ? no_completions(request.cursor) : body;
}

std::string Runtime::inspect(const protocol::CodeRequest& request) {
  const Turn turn(*functions_);
  std::string body = encoded(call_with_cursor(functions_->inspect, request));
  return body.empty() ? nothing_found() : body;
}

std::string Runtime::is_complete(const protocol::CodeRequest& request) {
  const Turn turn(*functions_);
  const PyRef code = to_text(request.code);
  std::string body = encoded(
      PyRef(code ? PyObject_CallOneArg(functions_->is_complete.get(), code.get()) : nullptr));
  return body.empty() ? not_known_to_be_complete() : body;
}

std::string Runtime::variables() {
  const Turn turn(*functions_);
  const PyRef list(PyObject_CallNoArgs(functions_->variables.get()));
  std::string body;
  MessagePackWriter writer(body);
  writer.map_header(1);
  writer.string("variables");
  if (list && PyList_Check(list.get()) && encode_object(list.get(), body)) return body;
  if (!list) take_raised();
  return no_variables();
}

std::string Runtime::reset() {
  const Turn turn(*functions_);
  const PyRef none(PyObject_CallNoArgs(functions_->reset.get()));
  if (!none) take_raised();
  return empty_map();
}

void Runtime::shutdown() {
  const Turn turn(*functions_);
  const PyRef none(PyObject_CallNoArgs(functions_->shutdown.get()));
  if (!none) take_raised();
}

void Runtime::leave() {
  const Turn turn(*functions_);
  const PyRef none(PyObject_CallNoArgs(functions_->leave.get()));
  if (!none) take_raised();
}

std::vector<std::string> Runtime::installed() {
  const PyRef names(PyObject_CallNoArgs(functions_->installed.get()));
  if (!names) take_raised();
  return names ? to_strings(names.get()) : std::vector<std::string>();
}

bool Runtime::remember() {
  const PyRef none(PyObject_CallNoArgs(functions_->remember.get()));
  if (!none) take_raised();
  return static_cast<bool>(none);
}

bool Runtime::wash() {
  deactivate_import_guard(functions_->guard_module.get());
  take_policy_events(functions_->guard_module.get());
  const PyRef none(PyObject_CallNoArgs(functions_->wash.get()));
  if (!none) take_raised();
  return static_cast<bool>(none);
}

}  // namespace cellblock::python

#include "python/runtime.hpp"

#include <utility>

#include "base/usage.hpp"
#include "python/display_sink.hpp"
#include "python/message_pack.hpp"
#include "python/py_ref.hpp"
#include "python/raised.hpp"
#include "python/runtime_values.hpp"
#include "python/session_module.hpp"

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
bool encode_execute_reply(PyObject* reply, std::uint64_t cpu_us, std::string& body) {
  MessagePackWriter writer(body);
  constexpr std::uint32_t own_entries = 2;
  writer.map_header(static_cast<std::uint32_t>(PyDict_Size(reply)) + own_entries);
  writer.string("cpu_us");
  writer.unsigned_integer(cpu_us);
  writer.string("max_rss_bytes");
  writer.unsigned_integer(base::process_max_rss_bytes());
  return encode_entries(reply, body);
}

}  // namespace

// Strong references, so that neither `sys.modules.clear()` nor `del` takes them away.
struct Runtime::Functions {
  PyRef modules;  // a copy of sys.modules: our modules' globals live as long as they do
  PyRef session_module;
  PyRef preload;
  PyRef start;
  PyRef execute;
  PyRef complete;
  PyRef inspect;
  PyRef is_complete;
  PyRef variables;
  PyRef reset;
  PyRef shutdown;
};

Runtime::Runtime(std::unique_ptr<Functions> functions) : functions_(std::move(functions)) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;
Runtime::~Runtime() = default;

Expected<Runtime> Runtime::load() {
  auto functions = std::make_unique<Functions>();
  const PyRef package(PyImport_ImportModule("cellblock_runtime"));
  if (package) {
    functions->session_module = PyRef(PyImport_ImportModule("_cellblock_session"));
    functions->preload = function_of(package.get(), "preload");
    functions->start = function_of(package.get(), "start");
    functions->execute = function_of(package.get(), "execute");
    functions->complete = function_of(package.get(), "complete");
    functions->inspect = function_of(package.get(), "inspect");
    functions->is_complete = function_of(package.get(), "is_complete");
    functions->variables = function_of(package.get(), "variables");
    functions->reset = function_of(package.get(), "reset");
    functions->shutdown = function_of(package.get(), "shutdown");
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

Expected<void> Runtime::start(const protocol::SessionConfig& config, DisplaySink& sink) {
  connect_session_module(functions_->session_module.get(), sink);
  const PyRef dict = to_dict(config);
  const PyRef none(dict ? PyObject_CallOneArg(functions_->start.get(), dict.get()) : nullptr);
  if (none) return {};
  return failed("The session cannot start its Python (" + take_raised().sentence() + ").");
}

std::string Runtime::execute(const protocol::ExecuteRequest& request) {
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
    if (encode_execute_reply(reply.get(), cpu_us, body)) return body;
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
  std::string body = encoded(call_with_cursor(functions_->complete, request));
  return body.empty() ? no_completions(request.cursor) : body;
}

std::string Runtime::inspect(const protocol::CodeRequest& request) {
  std::string body = encoded(call_with_cursor(functions_->inspect, request));
  return body.empty() ? nothing_found() : body;
}

std::string Runtime::is_complete(const protocol::CodeRequest& request) {
  const PyRef code = to_text(request.code);
  std::string body = encoded(
      PyRef(code ? PyObject_CallOneArg(functions_->is_complete.get(), code.get()) : nullptr));
  return body.empty() ? not_known_to_be_complete() : body;
}

std::string Runtime::variables() {
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
  const PyRef none(PyObject_CallNoArgs(functions_->reset.get()));
  if (!none) take_raised();
  return empty_map();
}

void Runtime::shutdown() {
  const PyRef none(PyObject_CallNoArgs(functions_->shutdown.get()));
  if (!none) take_raised();
}

}  // namespace cellblock::python

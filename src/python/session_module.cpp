#include "python/session_module.hpp"

#include <cerrno>
#include <string>
#include <vector>

#include "protocol/frame.hpp"
#include "python/display_sink.hpp"
#include "python/gil.hpp"
#include "python/message_pack.hpp"
#include "python/py_ref.hpp"

namespace cellblock::python {
namespace {

struct ModuleState {
  DisplaySink* sink;
};

ModuleState* state_of(PyObject* module) {
  return static_cast<ModuleState*>(PyModule_GetState(module));
}

/// The attachments' memory, held in place while it is being written.
class Buffers final {
 public:
  ~Buffers() {
    for (Py_buffer& buffer : buffers_) PyBuffer_Release(&buffer);
  }

  /// False with an exception set.
  bool hold(PyObject* attachments) {
    const PyRef items(PySequence_Tuple(attachments));
    if (!items) return false;
    const protocol::FrameLimits limits;
    const Py_ssize_t count = PyTuple_GET_SIZE(items.get());
    if (count > limits.max_attachments) return refuse("too many attachments");
    buffers_.reserve(static_cast<std::size_t>(count));
    std::size_t total = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
      Py_buffer buffer{};
      if (PyObject_GetBuffer(PyTuple_GET_ITEM(items.get(), i), &buffer, PyBUF_SIMPLE) != 0) {
        return false;
      }
      buffers_.push_back(buffer);
      views_.emplace_back(static_cast<const char*>(buffer.buf),
                          static_cast<std::size_t>(buffer.len));
      total += views_.back().size();
    }
    return total <= limits.max_attachment_bytes || refuse("the attachments are too large");
  }

  [[nodiscard]] const std::vector<std::string_view>& views() const { return views_; }

 private:
  static bool refuse(const char* why) {
    PyErr_SetString(PyExc_ValueError, why);
    return false;
  }

  std::vector<Py_buffer> buffers_;
  std::vector<std::string_view> views_;
};

PyObject* send_display(PyObject* module, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 2 || !PyDict_Check(arguments[0])) {
    PyErr_SetString(PyExc_TypeError, "send_display takes a dict and a list of bytes");
    return nullptr;
  }
  DisplaySink* sink = state_of(module)->sink;
  if (sink == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "there is no session to display in");
    return nullptr;
  }
  std::string body;
  if (!encode_object(arguments[0], body)) {
    PyErr_SetString(PyExc_ValueError, "the display data is too large");
    return nullptr;
  }
  Buffers buffers;
  if (!buffers.hold(arguments[1])) return nullptr;
  bool sent = false;
  {
    const GilRelease unlocked;
    sent = sink->send_display(body, buffers.views());
  }
  if (!sent) {
    errno = EPIPE;
    return PyErr_SetFromErrno(PyExc_OSError);
  }
  Py_RETURN_NONE;
}

/// Threads are found by their interpreter's list, which only changes with the GIL.
PyObject* stop_threads(PyObject* /*module*/, PyObject* /*none*/) {
  std::vector<unsigned long> others;
  PyThreadState* const own = PyThreadState_Get();
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
       thread != nullptr; thread = PyThreadState_Next(thread)) {
    if (thread != own) others.push_back(thread->thread_id);
  }
  for (const unsigned long thread : others) PyThreadState_SetAsyncExc(thread, PyExc_SystemExit);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"send_display", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&send_display)),
     METH_FASTCALL, "Send display data of the current execution to the host."},
    {"stop_threads", &stop_threads, METH_NOARGS, "Raise SystemExit in all other threads."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef_Slot slots[] = {compat::own_gil_slot(), {0, nullptr}};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_cellblock_session",
    .m_doc = "The way from a session to its host.",
    .m_size = sizeof(ModuleState),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = nullptr,
    .m_clear = nullptr,
    .m_free = nullptr,
};

PyObject* init_module() { return PyModuleDef_Init(&definition); }

}  // namespace

void register_session_module() { PyImport_AppendInittab("_cellblock_session", &init_module); }

PyObject* session_module_definition() { return init_module(); }

void connect_session_module(PyObject* module, DisplaySink& sink) { state_of(module)->sink = &sink; }

}  // namespace cellblock::python

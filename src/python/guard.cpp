#include "python/guard.hpp"

#include <array>
#include <utility>

#include "python/runtime_values.hpp"

namespace cellblock::python {
namespace {

// A hostile cell can refuse itself any number of things; what is told stays short.
constexpr std::size_t kMostNames = 48;
constexpr std::size_t kLongestName = 80;

/// The frames of the calling thread, innermost first.
class Frames final {
 public:
  Frames() : frame_(Py_XNewRef(reinterpret_cast<PyObject*>(PyEval_GetFrame()))) { look(); }

  explicit operator bool() const { return static_cast<bool>(frame_); }
  void next() {
    frame_ = PyRef(reinterpret_cast<PyObject*>(PyFrame_GetBack(frame())));
    look();
  }
  [[nodiscard]] std::string_view filename() const { return text(code()->co_filename); }
  [[nodiscard]] std::string_view function() const { return text(code()->co_name); }
  /// Whether the code mentions one of the names, as it must to call the function itself.
  template <class Names>
  [[nodiscard]] bool mentions(const Names& names) const {
    const PyRef mentioned(PyObject_GetAttrString(code_.get(), "co_names"));
    if (!mentioned || !PyTuple_Check(mentioned.get())) {
      PyErr_Clear();
      return true;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mentioned.get()); ++i) {
      for (const std::string_view name : names) {
        if (!name.empty() && text(PyTuple_GET_ITEM(mentioned.get(), i)) == name) return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] PyFrameObject* frame() const {
    return reinterpret_cast<PyFrameObject*>(frame_.get());
  }
  [[nodiscard]] PyCodeObject* code() const { return reinterpret_cast<PyCodeObject*>(code_.get()); }
  void look() {
    code_ = PyRef(frame_ ? reinterpret_cast<PyObject*>(PyFrame_GetCode(frame())) : nullptr);
  }
  static std::string_view text(PyObject* object) {
    Py_ssize_t size = 0;
    const char* utf8 = PyUnicode_AsUTF8AndSize(object, &size);
    if (utf8 == nullptr) PyErr_Clear();
    return utf8 == nullptr ? std::string_view()
                           : std::string_view(utf8, static_cast<std::size_t>(size));
  }

  PyRef frame_;
  PyRef code_;
};

}  // namespace

void Guard::activate(policy::ImportRules rules, CodeOrigins origins, PyRef refusal) {
  rules_ = std::move(rules);
  origins_ = std::move(origins);
  refusal_ = std::move(refusal);
}

Origin Guard::importer(bool by_name) const {
  constexpr std::array<std::string_view, 2> kNames{"__import__", "import_module"};
  for (Frames frames; frames; frames.next()) {
    const Origin origin = origins_.of(frames.filename());
    if (origin == Origin::user) return origin;
    if (origin == Origin::machinery) continue;
    if (!by_name || frames.mentions(kNames)) return origin;
  }
  return Origin::library;
}

Origin Guard::seeker() const {
  bool asked_by_python = false;
  for (Frames frames; frames; frames.next()) {
    const Origin origin = origins_.of(frames.filename());
    if (origin != Origin::machinery) return asked_by_python ? origin : Origin::library;
    const std::string_view function = frames.function();
    asked_by_python = function != "_find_and_load" && function != "_handle_fromlist";
  }
  return Origin::library;
}

Origin Guard::caller_of(const AuditedCall& call) const {
  bool given = !call.functions[0].empty();
  for (Frames frames; frames; frames.next()) {
    const std::string_view filename = frames.filename();
    const Origin origin = origins_.of(filename);
    if (origin == Origin::user) return origin;
    if (origin == Origin::machinery) continue;
    if (passes_on_calls(filename)) {
      given = false;
      continue;
    }
    // A library whose code does not name the function was given it, or a pickle that holds it.
    if (!given || frames.mentions(call.functions)) return origin;
  }
  return Origin::library;
}

bool Guard::refuse_import(std::string_view name) {
  if (!raise("import", name)) return false;
  count("import:" + std::string(name));
  return true;
}

void Guard::refuse_call(std::string_view event) {
  count(event);
  if (!raise("call", event)) {
    PyErr_Format(PyExc_PermissionError, "%s is not available here", std::string(event).c_str());
  }
}

bool Guard::raise(const char* kind, std::string_view name) {
  const PyRef kind_text = to_text(kind);
  const PyRef name_text = to_text(name);
  const PyRef exception(
      kind_text && name_text
          ? PyObject_CallFunctionObjArgs(refusal_.get(), kind_text.get(), name_text.get(), nullptr)
          : nullptr);
  if (!exception) return true;  // an interrupt, or no memory: that is raised instead
  if (!PyExceptionInstance_Check(exception.get())) return false;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  return true;
}

void Guard::count(std::string_view event) {
  if (event.size() > kLongestName) event = event.substr(0, kLongestName);
  auto found = events_.find(event);
  if (found == events_.end()) {
    const bool full = events_.size() >= kMostNames;
    found = events_.try_emplace(full ? "others" : std::string(event), 0).first;
  }
  ++found->second;
}

std::map<std::string, std::uint64_t> Guard::take_events() {
  std::map<std::string, std::uint64_t> taken(events_.begin(), events_.end());
  events_.clear();
  return taken;
}

}  // namespace cellblock::python

#include "python/runtime_values.hpp"

#include "base/usage.hpp"
#include "python/message_pack.hpp"

namespace cellblock::python {
namespace {

PyRef to_dict(const std::map<std::string, std::string>& map) {
  PyRef dict(PyDict_New());
  for (const auto& [key, value] : map) {
    const PyRef text_key = to_text(key);
    const PyRef text_value = to_text(value);
    if (!dict || !text_key || !text_value ||
        PyDict_SetItem(dict.get(), text_key.get(), text_value.get()) != 0) {
      return {};
    }
  }
  return dict;
}

std::string text_of(PyObject* object) {
  const char* utf8 = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  return utf8 != nullptr ? utf8 : "";
}

}  // namespace

PyRef to_text(std::string_view text) {
  return PyRef(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

PyRef to_list(const std::vector<std::string>& texts) {
  PyRef list(PyList_New(0));
  for (const std::string& text : texts) {
    const PyRef item = to_text(text);
    if (!list || !item || PyList_Append(list.get(), item.get()) != 0) return {};
  }
  return list;
}

PyRef to_dict(const protocol::SessionConfig& config) {
  PyRef dict(PyDict_New());
  if (!dict) return {};
  const auto set = [&dict](const char* key, const PyRef& value) {
    return value && PyDict_SetItemString(dict.get(), key, value.get()) == 0;
  };
  const bool complete =
      set("workspace", to_text(config.workspace)) && set("env", to_dict(config.env)) &&
      set("allowed_imports", to_list(config.allowed_imports)) &&
      set("import_guard", to_text(config.import_guard)) &&
      set("max_text_bytes", PyRef(PyLong_FromUnsignedLongLong(config.max_text_bytes))) &&
      set("max_result_bytes", PyRef(PyLong_FromUnsignedLongLong(config.max_result_bytes))) &&
      set("end_threads_ms", PyRef(PyLong_FromUnsignedLongLong(config.end_threads_ms))) &&
      set("notes_imports", PyRef(PyBool_FromLong(config.notes_imports ? 1 : 0)));
  return complete ? std::move(dict) : PyRef();
}

PyRef to_dict(const Runtime::Guest& guest) {
  return PyRef(Py_BuildValue("{s:i,s:i,s:O}", "out", guest.out, "err", guest.err, "is_shared",
                             guest.is_shared ? Py_True : Py_False));
}

std::map<std::string, std::string> to_string_map(PyObject* container, const char* key) {
  std::map<std::string, std::string> map;
  if (!PyDict_Check(container)) return map;
  PyObject* dict = PyDict_GetItemString(container, key);
  if (dict == nullptr || !PyDict_Check(dict)) return map;
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &name, &value) != 0) map[text_of(name)] = text_of(value);
  return map;
}

std::vector<Helper> to_helpers(PyObject* container, const char* key) {
  std::vector<Helper> helpers;
  PyObject* list = PyDict_Check(container) ? PyDict_GetItemString(container, key) : nullptr;
  if (list == nullptr || !PyList_Check(list)) return helpers;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* entry = PyList_GET_ITEM(list, i);
    if (!PyDict_Check(entry)) continue;
    const auto field = [entry](const char* name) {
      PyObject* value = PyDict_GetItemString(entry, name);
      return value != nullptr ? text_of(value) : std::string();
    };
    helpers.push_back(
        {.name = field("name"), .signature = field("signature"), .doc = field("doc")});
  }
  return helpers;
}

std::vector<std::string> to_strings(PyObject* container, const char* key) {
  PyObject* list = PyDict_Check(container) ? PyDict_GetItemString(container, key) : nullptr;
  return list == nullptr ? std::vector<std::string>() : to_strings(list);
}

std::vector<std::string> to_strings(PyObject* list) {
  std::vector<std::string> texts;
  const Py_ssize_t count = PyList_Check(list) ? PyList_GET_SIZE(list) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyObject* item = PyList_GET_ITEM(list, i); PyUnicode_Check(item)) {
      texts.push_back(text_of(item));
    }
  }
  return texts;
}

std::string execute_reply_of(const Raised& raised, std::uint64_t cpu_us) {
  std::string body;
  MessagePackWriter writer(body);
  writer.map_header(11);
  writer.string("status");
  writer.string("error");
  writer.string("cause");
  writer.string("exception");
  writer.string("exit_code");
  writer.integer(1);
  writer.string("interrupted");
  writer.boolean(raised.interrupted);
  writer.string("text");
  writer.nil();
  writer.string("error");
  writer.map_header(4);
  writer.string("name");
  writer.string(raised.name);
  writer.string("value");
  writer.string(raised.value);
  writer.string("traceback");
  writer.string(raised.sentence());
  writer.string("hint");
  writer.string("Reset the session: its own machinery was damaged by the code that ran in it.");
  writer.string("variables");
  writer.nil();
  writer.string("changes");
  writer.map_header(3);
  for (const char* kind : {"added", "changed", "removed"}) {
    writer.string(kind);
    writer.array_header(0);
  }
  writer.string("threads");
  writer.unsigned_integer(0);
  writer.string("cpu_us");
  writer.unsigned_integer(cpu_us);
  writer.string("max_rss_bytes");
  writer.unsigned_integer(base::process_max_rss_bytes());
  return body;
}

std::string no_completions(std::uint64_t cursor) {
  std::string body;
  MessagePackWriter writer(body);
  writer.map_header(3);
  writer.string("matches");
  writer.array_header(0);
  writer.string("start");
  writer.unsigned_integer(cursor);
  writer.string("end");
  writer.unsigned_integer(cursor);
  return body;
}

std::string nothing_found() {
  std::string body;
  MessagePackWriter writer(body);
  writer.map_header(2);
  writer.string("found");
  writer.boolean(false);
  writer.string("text");
  writer.string("");
  return body;
}

std::string not_known_to_be_complete() {
  std::string body;
  MessagePackWriter writer(body);
  writer.map_header(2);
  writer.string("status");
  writer.string("complete");
  writer.string("indent");
  writer.string("");
  return body;
}

std::string no_variables() {
  std::string body;
  MessagePackWriter writer(body);
  writer.map_header(1);
  writer.string("variables");
  writer.array_header(0);
  return body;
}

std::string empty_map() {
  std::string body;
  MessagePackWriter(body).map_header(0);
  return body;
}

}  // namespace cellblock::python

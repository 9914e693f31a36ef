#include "python/raised.hpp"

#include "python/py_ref.hpp"

namespace cellblock::python {

Raised take_raised() {
  const PyRef exception(compat::take_exception());
  if (!exception) return {.name = "SystemError", .value = "no exception was set"};
  Raised raised{
      .name = Py_TYPE(exception.get())->tp_name,
      .value = {},
      .interrupted = PyErr_GivenExceptionMatches(exception.get(), PyExc_KeyboardInterrupt) != 0};
  const PyRef text(PyObject_Str(exception.get()));
  Py_ssize_t size = 0;
  const char* utf8 = text ? PyUnicode_AsUTF8AndSize(text.get(), &size) : nullptr;
  if (utf8 != nullptr) raised.value.assign(utf8, static_cast<std::size_t>(size));
  PyErr_Clear();
  return raised;
}

}  // namespace cellblock::python

// A strong reference with one owner. For the sources of src/python only.
#pragma once

#include <utility>

#include "python/python_compat.hpp"

namespace cellblock::python {

/// Takes over a new reference; null means that the call which made it has failed.
class PyRef final {
 public:
  PyRef() = default;
  explicit PyRef(PyObject* object) noexcept : object_(object) {}
  PyRef(PyRef&& other) noexcept : object_(other.release()) {}
  PyRef& operator=(PyRef&& other) noexcept {
    PyObject* old = std::exchange(object_, other.release());
    Py_XDECREF(old);
    return *this;
  }
  PyRef(const PyRef&) = delete;
  PyRef& operator=(const PyRef&) = delete;
  ~PyRef() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  [[nodiscard]] PyObject* release() noexcept { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace cellblock::python

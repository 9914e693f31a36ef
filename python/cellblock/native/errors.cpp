#include "errors.hpp"

#include <pybind11/pybind11.h>

namespace cellblock::sdk {

namespace py = pybind11;

void raise(ErrorKind kind, std::string_view message) {
  const py::object error =
      py::module_::import("cellblock.errors")
          .attr("error_of")(to_string(kind), py::str(message.data(), message.size()));
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

}  // namespace cellblock::sdk

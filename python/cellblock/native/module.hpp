// The parts of the extension module, each in a file of its name.
#pragma once

#include <pybind11/pybind11.h>

namespace cellblock::sdk {

void bind_policy(pybind11::module_& module);
void bind_result(pybind11::module_& module);
void bind_running(pybind11::module_& module);
void bind_session(pybind11::module_& module);
void bind_executor(pybind11::module_& module);
void bind_tool(pybind11::module_& module);

}  // namespace cellblock::sdk

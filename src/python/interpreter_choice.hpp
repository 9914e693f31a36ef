// The interpreter whose packages a zygote uses.
#pragma once

#include <string>

#include "cellblock/expected.hpp"

namespace cellblock::python {

/// "3.11": the minor version that is compiled in.
std::string embedded_minor_version();

/// Runs `path` once to see that it is a CPython of the embedded minor version, and gives its
/// absolute path (links are kept: a virtual environment is known by its own place), or, of a
/// script, the path of the interpreter that it starts. Empty: the one chosen at build time. Error
/// kind: host_error, with what to do. Before threads and Python exist.
Expected<std::string> choose_interpreter(std::string path);

}  // namespace cellblock::python

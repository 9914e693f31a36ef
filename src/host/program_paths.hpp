// Where the programs of an installation are.
#pragma once

#include <string>

#include "cellblock/expected.hpp"

namespace cellblock::host {

/// Beside the running program, in ../libexec/cellblock from there, or where CMake installed it.
/// Error kind: host_error.
Expected<std::string> find_zygote_program();

}  // namespace cellblock::host

// The process's standard input and output, taken away from everybody else.
#pragma once

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::rpc {

struct PrivateStdio {
  base::UniqueFd input;
  base::UniqueFd output;
};

/// From here on descriptor 0 is empty and descriptor 1 is standard error: nothing that writes to
/// standard output, in this process or a child, can get between the lines of the protocol.
/// To be called before threads and children exist.
Expected<PrivateStdio> take_stdio();

}  // namespace cellblock::rpc

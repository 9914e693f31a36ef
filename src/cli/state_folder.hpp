// Where this user's programs keep what should last between runs.
#pragma once

#include <string>

#include "cellblock/expected.hpp"

namespace cellblock::cli {

/// $XDG_STATE_HOME/cellblock, else ~/.local/state/cellblock; made with mode 0700 when it does not
/// exist. Error kind: host_error (no home, or it cannot be made).
Expected<std::string> state_folder();

}  // namespace cellblock::cli

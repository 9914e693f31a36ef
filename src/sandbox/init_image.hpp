// The cage's PID 1 (src/cage_init), carried inside this program.
#pragma once

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::sandbox {

/// A sealed, executable memfd with the program; close-on-exec. Run it by execveat(AT_EMPTY_PATH).
Expected<base::UniqueFd> make_init_image();

}  // namespace cellblock::sandbox

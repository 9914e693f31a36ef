// The zygote's own process, before and after the packages are loaded.
#pragma once

#include <string>

#include "cellblock/expected.hpp"
#include "zygote/options.hpp"

namespace cellblock::zygote {

/// A session of its own, one thread in every numeric library, no core dumps, /dev/null as stdin and
/// stdout, no descriptor beside 0 to 2 and the two of `options`, which become close-on-exec.
Expected<void> set_up_process(const Options& options);

/// Fails when the packages left a thread running: such a process cannot be forked safely. Closes
/// descriptors that they left open.
Expected<void> check_process(const Options& options);

}  // namespace cellblock::zygote

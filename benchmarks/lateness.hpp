// How much later than its limit and grace a run ends that only a kill can end.
#pragma once

#include <cstddef>
#include <string>

#include "host/fork_executor.hpp"
#include "samples.hpp"

namespace cellblock::bench {

/// So many sessions at once, each in a loop in C until it is killed; one sample of each. Throws
/// std::runtime_error when a session cannot be opened or ends otherwise.
Series kill_lateness(host::ForkExecutor& executor, std::string name, std::size_t sessions);

}  // namespace cellblock::bench

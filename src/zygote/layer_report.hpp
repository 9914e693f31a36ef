// What confines a session, as the kernel answers to that session.
#pragma once

#include <vector>

#include "cellblock/result.hpp"
#include "zygote/after_fork.hpp"

namespace cellblock::zygote {

/// The limits that count in this cage, or without one: what apply_limits() gets. Async-signal-safe.
protocol::ResourceLimits limits_in(const Cage* cage, const protocol::ResourceLimits& limits);

/// Called in the session. A layer is on only where a question to the kernel says so.
std::vector<Layer> observed_layers(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                                   const Cage* cage);

}  // namespace cellblock::zygote

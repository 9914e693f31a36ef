// What confines a session, as the kernel answers to that session.
#pragma once

#include <vector>

#include "cellblock/result.hpp"
#include "zygote/after_fork.hpp"

namespace cellblock::zygote {

/// Called in the session. A layer is on only where a question to the kernel says so.
std::vector<Layer> observed_layers(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                                   Caged caged);

}  // namespace cellblock::zygote

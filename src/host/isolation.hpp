// What the layers of a session amount to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cellblock/expected.hpp"
#include "cellblock/policy.hpp"
#include "cellblock/result.hpp"

namespace cellblock::host {

/// The level, and for every layer that is off what would bring it.
IsolationReport judge_isolation(std::vector<Layer> layers);

/// Whether a session with these layers may start under what the policy asks for. Error kind:
/// isolation_unavailable, with what is not held, why, and what to do.
Expected<void> check_isolation(const IsolationReport& report, Isolation asked);

}  // namespace cellblock::host

// SandboxPlan: what a policy asks of one session process, in the words of the fork request. Pure
// values, no system calls.
#pragma once

#include <string>

#include "cellblock/policy.hpp"
#include "protocol/messages.hpp"

namespace cellblock::policy {

/// `workspace` is the absolute path of the session's writable folder.
protocol::ForkRequest make_fork_request(const SecurityPolicy& policy, std::string workspace);

}  // namespace cellblock::policy

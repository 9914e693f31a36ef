// SandboxPlan: what a policy asks of one session process, in the words of the fork request. Pure
// values, no system calls.
#pragma once

#include <string>

#include "cellblock/policy.hpp"
#include "protocol/messages.hpp"

namespace cellblock::policy {

/// `folder`: the absolute path of a folder of the machine as the workspace; empty: a tmpfs.
protocol::ForkRequest make_fork_request(const SecurityPolicy& policy, std::string folder);

}  // namespace cellblock::policy

// From the fork to the request loop: what turns a copy of the zygote into a session.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.hpp"
#include "protocol/messages.hpp"
#include "python/runtime.hpp"

namespace cellblock::zygote {

/// What the zygote found out once for all sessions.
struct ZygoteFacts {
  int liveness_fd = -1;
  std::uint64_t base_data_bytes = 0;  ///< of RLIMIT_DATA, what every child starts with
  bool in_user_namespace = false;
};

/// The descriptors that come with a fork request.
struct SessionFds {
  base::UniqueFd channel;
  base::UniqueFd out;
  base::UniqueFd err;
  std::vector<base::UniqueFd> cgroups;  ///< what joins them, one a hierarchy
};

enum class Caged { no, yes };

/// Runs in the child, to its end. A step that fails is told to the host as session_failed: no
/// session starts partly confined.
[[noreturn]] void become_session(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                                 Caged caged, const SessionFds& fds, python::Runtime& runtime);

}  // namespace cellblock::zygote

// From the fork to the request loop: what turns a copy of the zygote into a session.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "protocol/messages.hpp"
#include "python/runtime.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/seccomp_filter.hpp"
#include "sandbox/shared_namespaces.hpp"
#include "zygote/cage_builder.hpp"

namespace cellblock::zygote {

/// What the zygote found out once for all sessions.
struct ZygoteFacts {
  int liveness_fd = -1;
  std::uint64_t base_data_bytes = 0;  ///< of RLIMIT_DATA, what every child starts with
  sandbox::SharedNamespaces shared;   ///< what it left of the machine's namespaces
  std::string cages_detail;           ///< why sessions have no cages
  std::string mounts_detail;          ///< why sessions have no file systems of their own
  const sandbox::Landlock* landlock = nullptr;
  sandbox::FilterPrograms* filters = nullptr;  ///< a session completes its own copy
};

/// The descriptors that come with a fork request.
struct SessionFds {
  base::UniqueFd channel;
  base::UniqueFd out;
  base::UniqueFd err;
  base::UniqueFd stack;
  std::vector<base::UniqueFd> cgroups;  ///< what joins them, one a hierarchy
};

/// Runs in the child, to its end. A step that fails is told to the host as session_failed: no
/// session starts partly confined. `cage`: what it was forked into, if anything.
[[noreturn]] void become_session(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                                 const Cage* cage, const SessionFds& fds, python::Runtime& runtime);

}  // namespace cellblock::zygote

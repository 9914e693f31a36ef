// The namespaces of a cage as descriptors: they last, and can be joined, when the process that they
// were made with has ended.
#pragma once

#include "base/unique_fd.hpp"
#include "sandbox/cage.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

struct NamespaceFiles {
  base::UniqueFd mounts;
  base::UniqueFd user;

  [[nodiscard]] bool is_open() const { return mounts || user; }
};

/// Opens what the cage of this init has beside its pid namespace. `proc`: O_PATH of the machine's
/// /proc. ESRCH (as Failure): init has ended. Single-threaded processes only.
Failure open_namespaces(int init_pidfd, CageNamespaces namespaces, int proc, NamespaceFiles& files);

/// As join_namespaces() of an init. Async-signal-safe.
Failure join_namespaces(const NamespaceFiles& files);

}  // namespace cellblock::sandbox

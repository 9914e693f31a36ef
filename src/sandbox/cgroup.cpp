#include "sandbox/cgroup.hpp"

#include <unistd.h>

namespace cellblock::sandbox {

Failure join_cgroups(std::span<const base::UniqueFd> lists) {
  for (const base::UniqueFd& list : lists) {
    // 0 is who writes: no number has to be right in another pid namespace.
    if (const Failure failure = check(::write(list.get(), "0", 1), "join its control group")) {
      return failure;
    }
  }
  return {};
}

}  // namespace cellblock::sandbox

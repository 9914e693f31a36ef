#include "sandbox/parent_death.hpp"

#include <poll.h>
#include <sys/prctl.h>

#include <csignal>

namespace cellblock::sandbox {

Failure die_with_parent() {
  return check(::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "tie the session's life to the zygote");
}

bool host_is_alive(int liveness_fd) {
  pollfd entry{.fd = liveness_fd, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) == 0;
}

}  // namespace cellblock::sandbox

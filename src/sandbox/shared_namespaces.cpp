#include "sandbox/shared_namespaces.hpp"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/unique_fd.hpp"

namespace cellblock::sandbox {
namespace {

/// Nothing but a loopback that is down.
bool network_is_empty() {
  const base::UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno == EAFNOSUPPORT;
  ifreq loopback{};
  std::strncpy(loopback.ifr_name, "lo", sizeof(loopback.ifr_name) - 1);
  if (::ioctl(socket.get(), SIOCGIFFLAGS, &loopback) != 0) return errno == ENODEV;
  ifreq second{};
  second.ifr_ifindex = 2;
  const bool more = ::ioctl(socket.get(), SIOCGIFNAME, &second) == 0 &&
                    ::ioctl(socket.get(), SIOCGIFFLAGS, &second) == 0 &&
                    (second.ifr_flags & IFF_UP) != 0;
  return (loopback.ifr_flags & IFF_UP) == 0 && !more;
}

}  // namespace

SharedNamespaces leave_shared_namespaces() {
  SharedNamespaces left;
  if (::unshare(CLONE_NEWNET) == 0) {
    left.network = network_is_empty();
    if (!left.network) left.detail = "the new network namespace is not empty";
  } else {
    left.detail = std::string("cannot make a network namespace (") + std::strerror(errno) + ")";
  }
  left.ipc = ::unshare(CLONE_NEWIPC) == 0;
  left.uts = ::unshare(CLONE_NEWUTS) == 0 && ::sethostname("cellblock", 9) == 0;
  return left;
}

}  // namespace cellblock::sandbox

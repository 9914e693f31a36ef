#include "sandbox/capabilities.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cellblock::sandbox {

Failure drop_bounding_set() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EPERM) break;
    return {"drop the capability bounding set", errno};
  }
  return {};
}

Failure drop_capabilities() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return check(::syscall(SYS_capset, &header, none), "drop the capabilities");
}

bool has_no_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2] = {};
  if (::syscall(SYS_capget, &header, held) != 0) return false;
  for (const auto& part : held) {
    if ((part.effective | part.permitted | part.inheritable) != 0) return false;
  }
  return true;
}

}  // namespace cellblock::sandbox

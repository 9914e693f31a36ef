#include "sandbox/session_keyring.hpp"

#include <linux/keyctl.h>
#include <unistd.h>

#include "sandbox/kernel.hpp"

namespace cellblock::sandbox {

Failure join_new_keyring() {
  const long keyring = ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr, 0UL, 0UL, 0UL);
  if (keyring < 0 && (errno == ENOSYS || errno == EPERM || errno == EDQUOT)) return {};
  return check(keyring, "leave the keyring of the zygote");
}

}  // namespace cellblock::sandbox

#include "sandbox/session_keyring.hpp"

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/catch.hpp"
#include "support/confined_child.hpp"

namespace {

long session_keyring() {
  return ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0UL, 0UL, 0UL);
}

}  // namespace

TEST_CASE("A process that joins a new keyring shares none with the one that forked it") {
  const long before = session_keyring();
  if (before < 0) CELLBLOCK_SKIP("this machine gives no keyrings");
  CHECK(cellblock::test::in_child([before] {
          if (cellblock::sandbox::join_new_keyring()) return 1;
          const long after = session_keyring();
          return after > 0 && after != before ? 0 : 2;
        }) == 0);
  CHECK(session_keyring() == before);
}

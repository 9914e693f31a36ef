#include "sandbox/no_new_privileges.hpp"

#include <sys/prctl.h>

namespace cellblock::sandbox {

Failure forbid_new_privileges() {
  return check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs");
}

bool new_privileges_are_forbidden() { return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1; }

Failure forbid_dumps() {
  return check(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), "make the process not dumpable");
}

}  // namespace cellblock::sandbox

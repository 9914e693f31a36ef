#include "sandbox/landlock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "sandbox/landlock_abi.hpp"
#include "support/catch.hpp"
#include "support/confined_child.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock::sandbox;
using cellblock::test::in_child;
using cellblock::test::ScratchFolder;

namespace {

constexpr int kNotRestricted = 200;

/// 0, or the errno.
int open_error(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags, 0600);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

Landlock prepare() {
  return *Landlock::prepare({{"/usr", PathAccess::read},
                             {"/dev/null", PathAccess::device},
                             {"/no such path", PathAccess::read}});
}

std::vector<PathRule> writable(const std::string& path) { return {{path, PathAccess::read_write}}; }

}  // namespace

TEST_CASE("What no rule names cannot be opened, and the rest as its rule says") {
  const Landlock landlock = prepare();
  if (landlock.abi() == 0) CELLBLOCK_SKIP(landlock.detail());
  const ScratchFolder scratch;
  const std::string& folder = scratch.path();
  const auto error_of = [&](const std::string& path, int flags) {
    return in_child([&] {
      return landlock.restrict_self_and(writable(folder)) ? kNotRestricted
                                                          : open_error(path, flags);
    });
  };
  CHECK(error_of("/", O_RDONLY | O_DIRECTORY) == EACCES);
  CHECK(error_of("/etc/passwd", O_RDONLY) == EACCES);
  CHECK(error_of("/proc/self/status", O_RDONLY) == EACCES);
  CHECK(error_of("/usr", O_RDONLY | O_DIRECTORY) == 0);
  CHECK(error_of("/usr/new", O_WRONLY | O_CREAT) == EACCES);
  CHECK(error_of("/dev/null", O_RDWR) == 0);
  CHECK(error_of(folder + "/new", O_RDWR | O_CREAT) == 0);
  CHECK(error_of(folder + "/new", O_RDWR | O_TRUNC) == 0);
  CHECK(error_of(folder + "/../other", O_RDWR | O_CREAT) == EACCES);
}

TEST_CASE("A session's own rule is no other session's") {
  const Landlock landlock = prepare();
  if (landlock.abi() == 0) CELLBLOCK_SKIP(landlock.detail());
  const ScratchFolder first;
  const ScratchFolder second;
  const std::string in_first = first.path() + "/file";
  const auto create_in_first = [&](const ScratchFolder& workspace) {
    return in_child([&] {
      if (landlock.restrict_self_and(writable(workspace.path()))) return kNotRestricted;
      return open_error(in_first, O_WRONLY | O_CREAT);
    });
  };
  CHECK(create_in_first(first) == 0);
  CHECK(create_in_first(second) == EACCES);
  CHECK(in_child([&] {
          return landlock.restrict_self() ? kNotRestricted : open_error(in_first, O_RDONLY);
        }) == EACCES);
}

TEST_CASE("A workspace that is not there is a failed step with its reason") {
  const Landlock landlock = prepare();
  if (landlock.abi() == 0) CELLBLOCK_SKIP(landlock.detail());
  CHECK(in_child([&] { return landlock.restrict_self_and(writable("/no such path")).error; }) ==
        ENOENT);
}

TEST_CASE("The probe sees Landlock only where it is applied") {
  const Landlock landlock = prepare();
  if (landlock.abi() == 0) CELLBLOCK_SKIP(landlock.detail());
  CHECK(in_child([] { return landlock_is_seen() ? 1 : 0; }) == 0);
  CHECK(in_child([&] { return !landlock.restrict_self() && landlock_is_seen() ? 1 : 0; }) == 1);
  CHECK(landlock.detail() == "ABI " + std::to_string(landlock.abi()));
}

TEST_CASE("No signal leaves the session") {
  const Landlock landlock = prepare();
  if (landlock.abi() < 6) CELLBLOCK_SKIP("Landlock covers signals from ABI 6 on");
  CHECK(in_child([&] {
          if (landlock.restrict_self()) return kNotRestricted;
          return ::kill(::getppid(), 0) == -1 ? errno : 0;
        }) == EPERM);
  CHECK(in_child([&] {
          if (landlock.restrict_self()) return kNotRestricted;
          return ::kill(::getpid(), 0) == -1 ? errno : 0;
        }) == 0);
}

TEST_CASE("An ABI is asked only for what its kernel knows") {
  using namespace landlock;
  CHECK(everything(1).handled_files == (1U << 13) - 1);
  CHECK(everything(1).handled_network == 0);
  CHECK(everything(2).handled_files == (1U << 14) - 1);
  CHECK(everything(3).handled_files == (1U << 15) - 1);
  CHECK(everything(4).handled_network == 3);
  CHECK(everything(5).handled_files == (1U << 16) - 1);
  CHECK(everything(5).scoped == 0);
  CHECK(everything(6).scoped == 3);
  CHECK(everything(8).handled_files == (1U << 16) - 1);
  CHECK(everything(9).handled_files == (1U << 17) - 1);
  CHECK(restrict_flags(6) == 0);
  CHECK(restrict_flags(7) == 1);
}

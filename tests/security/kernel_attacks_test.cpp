// The kernel's own surface, and the processes that the session comes from.
#include "security/attack_runner.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

const std::vector<Attack> kAttacks{
    {"M161", "ptrace of others and of itself",
     "parent = os.getppid()\n"
     "say(call(101, 16, parent or 1, 0, 0), call(101, 0, 0, 0, 0), "
     "call(101, 0x4206, parent or 1, 0, 0))",
     "EPERM", "seccomp"},
    {"M161",
     "the memory and descriptors of the cage's init",
     "import struct\n"
     "iov = struct.pack('QQ', 0, 0)\n"
     "say(call(101, 16, 1, 0, 0), call(310, 1, iov, 1, iov, 1, 0), call(311, 1, iov, 1, iov, 1, 0),"
     " call(434, 1, 0))",
     "EPERM",
     "seccomp",
     {{"landlock", "seccomp", "EPERM"},
      {"ids", "seccomp", "EPERM"},
      {"not_dumpable", "seccomp", "EPERM"}}},
    {"M161",
     "an attach to the cage's init",
     "say(call(101, 16, 1, 0, 0))",
     "EPERM",
     "seccomp",
     {{"seccomp", "landlock", "EPERM"}}},
    {"M163",
     "namespaces of its own, and others'",
     "say(call(272, 0x10000000), call(272, 0x20000), call(56, 0x10000000 | 17, 0, 0, 0, 0), "
     "call(308, 3, 0), call(308, 3, 0x20000))",
     "EPERM",
     "seccomp",
     {{"landlock", "seccomp", "EPERM"},
      {"capabilities", "seccomp", "EPERM"},
      {"mounts", "seccomp", "EPERM"}}},
    {"M163",
     "namespaces that need a privilege",
     "say(call(272, 0x20000), call(272, 0x40000000), call(272, 0x20000000))",
     "EPERM",
     "seccomp",
     {{"seccomp", "capabilities", "EPERM"}}},
    {"M164", "programs, counters, faults and queues of the kernel",
     "say(*(call(n, 0, 0, 0, 0, 0) for n in (321, 298, 323, 248, 249, 250, 206, 300, 212)))",
     "EPERM", "seccomp"},
    {"M164", "io_uring", "say(*(call(n, 1, 0, 0, 0, 0) for n in (425, 426, 427)))", "ENOSYS",
     "seccomp"},
    {"M166",
     "a call by the 32-bit gate",
     "import mmap\n"
     "page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)\n"
     "page.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))\n"
     "place = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
     "print(ctypes.CFUNCTYPE(ctypes.c_long)(place)())",
     "",
     "seccomp",
     {},
     Ending{Status::crashed, Cause::denied_syscall, 159}},
    {"M166",
     "a call by an x32 number",
     "say(call(0x40000000 | 39))",
     "",
     "seccomp",
     {},
     Ending{Status::crashed, Cause::denied_syscall, 159}},
    {"M167", "a filter and Landlock layers of its own",
     "say(*(call(n, 0, 0, 0, 0) for n in [317, 444, 445, 446] * 16), call(157, 22, 2, 0, 0, 0), "
     "call(157, 38, 0, 0, 0, 0))",
     "EPERM", "seccomp"},
    {"M169",
     "input pushed into a terminal",
     "import fcntl\n"
     "say(tried(open, '/dev/tty'), *(tried(fcntl.ioctl, fd, n, b'x') for fd in (0, 1, 2) "
     "for n in (0x5412, 0x541c)))",
     "ENOENT EPERM | ENXIO EPERM",
     "seccomp",
     {{"seccomp", "process_group", "ENOENT ENOTTY"},
      {"process_group", "seccomp", "ENOENT EPERM | ENXIO EPERM"},
      {"mounts", "seccomp", "EACCES EPERM"}}},
    {"M170", "registers, lists and barriers of others",
     "say(call(158, 0x1001, 0), call(274, 1, bytes(8), bytes(8)), call(324, 0, 0, 0))",
     "EPERM done", "seccomp"},
    {"M170", "its rseq area put elsewhere", "say(call(334, bytes(64), 32, 0, 0))",
     "EINVAL | EBUSY | EPERM", "kernel"},
};

}  // namespace

TEST_CASE("The kernel's dangerous calls are refused by their names") {
  run_with_all_layers(kAttacks);
}

TEST_CASE("The kernel is held from a context too") { run_in_context(kAttacks); }

TEST_CASE("The kernel's dangerous calls are held by a second layer too") {
  run_without_each_layer(kAttacks);
}

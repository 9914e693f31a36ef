// Ways out of the session over sockets, each with a host that listens.
#include "security/attack_runner.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

#define CELLBLOCK_REACH                                               \
  "import socket\n"                                                   \
  "def reach(family, kind, address):\n"                               \
  "    with socket.socket(family, kind) as s:\n"                      \
  "        s.settimeout(5)\n"                                         \
  "        s.connect(address)\n"                                      \
  "def udp(address):\n"                                               \
  "    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:\n" \
  "        s.sendto(b'x', address)\n"                                 \
  "PORT = int(os.environ['HOST_PORT'])\n"

const std::vector<Attack> kAttacks{
    {"C43",
     "TCP and UDP, both families",
     CELLBLOCK_REACH "far = ('192.0.2.1', 80)\n"
                     "say(tried(reach, socket.AF_INET, socket.SOCK_STREAM, far), tried(udp, far), "
                     "tried(reach, socket.AF_INET6, socket.SOCK_STREAM, ('2001:db8::1', 80)))",
     "EAFNOSUPPORT",
     "seccomp",
     {{"seccomp", "network", "EACCES ENETUNREACH | ENETUNREACH"},
      {"network", "seccomp", "EAFNOSUPPORT"},
      {"landlock", "seccomp", "EAFNOSUPPORT"},
      {"pid_namespace", "seccomp", "EAFNOSUPPORT"}}},
    {"C44",
     "a port of the host on its loopback",
     CELLBLOCK_REACH "say(tried(reach, socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', PORT)))",
     "EAFNOSUPPORT",
     "seccomp",
     {{"seccomp", "network", "EACCES | ENETUNREACH"}, {"network", "seccomp", "EAFNOSUPPORT"}}},
    {"C46",
     "names looked up",
     "import socket, time\n"
     "begin = time.monotonic()\n"
     "say(tried(socket.getaddrinfo, 'example.org', 80), tried(open, '/etc/resolv.conf'))\n"
     "assert time.monotonic() - begin < 5",
     "ENOENT gaierror",
     "seccomp, mounts",
     {{"mounts", "landlock", "EACCES gaierror"}, {"seccomp", "network", "ENOENT gaierror"}}},
    {"C47",
     "sockets of the machine by name",
     CELLBLOCK_REACH "U, S = socket.AF_UNIX, socket.SOCK_STREAM\n"
                     "say(tried(reach, U, S, '/var/run/docker.sock'), tried(reach, U, S, "
                     "os.environ['HOST_SOCKET']))",
     "EAFNOSUPPORT",
     "seccomp",
     {{"seccomp", "mounts", "ENOENT"}, {"mounts", "seccomp", "EAFNOSUPPORT"}}},
    {"C47",
     "an abstract socket of the host",
     CELLBLOCK_REACH
     "say(tried(reach, socket.AF_UNIX, socket.SOCK_STREAM, '\\0' + os.environ['HOST_ABSTRACT']))",
     "EAFNOSUPPORT",
     "seccomp",
     {{"seccomp", "network", "EPERM | ECONNREFUSED"}, {"network", "seccomp", "EAFNOSUPPORT"}}},
    {"C49", "the kernel's netlink and packet sockets",
     "say(*(call(41, family, kind, p) for family in (16, 17) for kind in (2, 3) "
     "for p in (0, 9, 15)))",
     "EAFNOSUPPORT", "seccomp"},
    {"C50", "VSOCK to the machine's own machine", "say(call(41, 40, 1, 0))", "EAFNOSUPPORT",
     "seccomp"},
    {"C52", "io_uring, which makes calls unseen",
     "say(call(425, 8, b'\\0' * 120), call(426, 3, 1, 0, 0, 0), call(427, 3, 0, 0, 0))", "ENOSYS",
     "seccomp"},
    {"C53",
     "descriptors left open",
     "print([fd for fd in range(1024) if tried(os.fstat, fd) == 'done'])",
     "[0, 1, 2, 3, 4]",
     "descriptors",
     {{"seccomp", "descriptors", "[0, 1, 2, 3, 4]"}}},
    {"C55",
     "a URL opened",
     "import urllib.request\n"
     "say(tried(urllib.request.urlopen, 'http://127.0.0.1:' + os.environ['HOST_PORT'], timeout=5))",
     "URLError",
     "seccomp",
     {{"seccomp", "network", "URLError"}, {"network", "seccomp", "URLError"}}},
    {"C56", "a pair of sockets, which asyncio needs",
     "import socket\n"
     "one, two = socket.socketpair()\n"
     "one.send(b'x'); print(two.recv(1)); one.close(); two.close()\n"
     "say(tried(socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM))",
     "b'x'\nEPERM", "works"},
    {"C58",
     "keys of the kernel, which sessions could share",
     "say(call(248, b'user', b'k', b'v', 1, -3), call(249, b'user', b'k', 0, -3), "
     "call(250, 0, -3, 1))",
     "EPERM",
     "seccomp",
     {{"keyring", "seccomp", "EPERM"}}},
};

}  // namespace

TEST_CASE("Nothing leaves a session over the network") { run_with_all_layers(kAttacks); }

TEST_CASE("The network is held by a second layer too") { run_without_each_layer(kAttacks); }

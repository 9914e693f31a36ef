// The machine's files: not seen, not read, not changed.
#include "security/attack_runner.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

const std::vector<Attack> kAttacks{
    {"D59",
     "accounts, keys and a secret of the host",
     "say(*(tried(open, p) for p in ('/etc/passwd', '/etc/shadow', '/root/.ssh/id_rsa', "
     "os.environ['HOST_FILE'])))",
     "ENOENT",
     "mounts",
     // ENOENT: what is not on this machine.
     {{"mounts", "landlock", "EACCES | EACCES ENOENT"},
      {"landlock", "mounts", "ENOENT"},
      {"seccomp", "mounts", "ENOENT"},
      {"ids", "mounts", "ENOENT"},
      {"capabilities", "mounts", "ENOENT"},
      {"pid_namespace", "landlock", "EACCES | EACCES ENOENT"}}},
    {"D61",
     "paths that climb, bytes, a NUL, a URL",
     "import urllib.request\n"
     "say(tried(open, '../' * 9 + 'etc/passwd'), tried(open, b'/etc/passwd'), "
     "tried(open, 'x\\0/etc/passwd'), tried(urllib.request.urlopen, 'file:///etc/passwd'))",
     "ENOENT URLError ValueError",
     "mounts",
     {{"mounts", "landlock", "EACCES URLError ValueError"},
      {"landlock", "mounts", "ENOENT URLError ValueError"}}},
    {"D62",
     "a link out of the workspace, read from inside",
     "os.symlink(os.environ['HOST_FILE'], 'way-out')\n"
     "say(tried(open, 'way-out'))\nos.unlink('way-out')",
     "ENOENT",
     "mounts",
     {{"mounts", "landlock", "EACCES"}, {"landlock", "mounts", "ENOENT"}}},
    {"D70",
     "/proc, of the session and of everybody",
     "say(*(tried(os.listdir, p) for p in ('/proc', '/proc/self/fd', '/proc/1/root')), "
     "*(tried(open, p) for p in ('/proc/1/environ', '/proc/kcore', "
     "'/proc/sys/kernel/hostname')))",
     "ENOENT",
     "mounts",
     {{"mounts", "landlock", "EACCES | EACCES ENOENT"}, {"landlock", "mounts", "ENOENT"}}},
    {"D71",
     "the control groups and the kernel's switches",
     "say(*(tried(os.listdir, p) for p in ('/sys', '/sys/fs/cgroup', '/sys/kernel/debug')), "
     "tried(open, '/sys/fs/cgroup/cgroup.procs', 'w'))",
     "ENOENT",
     "mounts",
     {{"mounts", "landlock", "EACCES"}, {"landlock", "mounts", "ENOENT"}}},
    {"D73",
     "a device read without end",
     "def swallow():\n"
     "    kept = []\n"
     "    with open('/dev/zero', 'rb') as f:\n"
     "        while True: kept.append(f.read(1 << 24))\n"
     "say(tried(swallow))",
     "MemoryError",
     "rlimits",
     {{"rlimits", "cgroup", "", Ending{Status::memory_limit, Cause::memory, 137}}}},
    {"D74",
     "mounts made, moved and undone",
     "say(call(161, b'/tmp'), call(165, b'none', b'/tmp', b'tmpfs', 0, 0), "
     "call(165, b'none', b'/', 0, 0x20 | 0x1000, 0), call(166, b'/tmp', 2), "
     "call(155, b'/tmp', b'/tmp'), call(428, -100, b'/', 1), call(430, b'tmpfs', 0), "
     "call(429, -1, b'', -1, b'', 4), call(442, -100, b'/', 0, bytes(32), 32))",
     "EPERM",
     "seccomp",
     {{"seccomp", "capabilities", "EPERM"},
      {"capabilities", "seccomp", "EPERM"},
      {"landlock", "seccomp", "EPERM"},
      {"mounts", "seccomp", "EPERM"}}},
    {"D76",
     "folders of the host by a descriptor",
     "say(*(tried(os.open, '..', os.O_RDONLY, dir_fd=fd) for fd in range(3, 1024)), "
     "*(tried(os.fchdir, fd) for fd in range(3, 1024)))",
     "EBADF ENOTDIR",
     "descriptors",
     {{"seccomp", "descriptors", "EBADF ENOTDIR"}, {"mounts", "descriptors", "EBADF ENOTDIR"}}},
    {"D77", "files by their handles",
     "import struct\n"
     "handle = struct.pack('Ii8s', 8, 1, b'')\n"
     "say(call(303, -100, b'/', handle, bytes(8), 0), call(304, -100, handle, 0))",
     "EPERM", "seccomp"},
    {"D79",
     "times, modes and attributes of read-only files",
     "import json\n"
     "library = json.__file__\n"
     "say(tried(os.utime, library), tried(os.chmod, library, 0o777), "
     "tried(os.truncate, library, 0), call(188, library.encode(), b'user.x', b'v', 1, 0))",
     "EPERM EROFS | EACCES EPERM EROFS",
     "mounts",
     {{"mounts", "seccomp", "EPERM | EACCES EPERM"},
      {"seccomp", "mounts", "EROFS | EACCES EROFS"}}},
    {"D80",
     "the current folder taken away",
     "home = os.getcwd()\n"
     "os.mkdir('gone'); os.chdir('gone'); os.rmdir(home + '/gone')\n"
     "import colorsys\n"
     "say(tried(os.getcwd), tried(os.listdir, home))",
     "ENOENT done",
     "works",
     {},
     {},
     "os.chdir(home)"},
    {"D80",
     "the current folder locked",
     "home = os.getcwd()\n"
     "os.mkdir('locked'); os.chdir('locked'); os.chmod('.', 0)\n"
     "import colorsys\n"
     "say(tried(os.listdir, home))",
     "done",
     "works",
     {},
     {},
     "os.chdir(home); os.rmdir('locked')"},
    {"D82",
     "an abort, which elsewhere leaves a core file",
     "os.abort()",
     "",
     "rlimits",
     {},
     Ending{Status::crashed, Cause::signal, 134}},
};

}  // namespace

TEST_CASE("The machine's files are out of a session's reach") { run_with_all_layers(kAttacks); }

TEST_CASE("The machine's files are held by a second layer too") {
  run_without_each_layer(kAttacks);
}

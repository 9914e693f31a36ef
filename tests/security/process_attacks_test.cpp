// Processes of the session's own: there are none.
#include "security/attack_runner.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::test;

namespace {

// Programs hide in the libraries' folders, which a session must read: the loader is one.
#define CELLBLOCK_LOADER "'/lib64/ld-linux-x86-64.so.2'"

const std::vector<Attack> kAttacks{
    {"B34",
     "another program in the session's place",
     "say(tried(os.execv, " CELLBLOCK_LOADER ", ['x']), tried(os.execve, " CELLBLOCK_LOADER
     ", ['x'], {}))",
     "EPERM",
     "seccomp",
     {{"seccomp", "landlock", "EACCES"},
      {"landlock", "seccomp", "EPERM"},
      {"mounts", "seccomp", "EPERM"},
      {"pid_namespace", "seccomp", "EPERM"},
      {"capabilities", "seccomp", "EPERM"}}},
    {"B35", "posix_spawn, popen and fork",
     "say(tried(os.posix_spawn, " CELLBLOCK_LOADER
     ", ['x'], {}), tried(os.popen, 'id'), tried(os.fork))",
     "EPERM", "seccomp"},
    {"B35",
     "a spawned program",
     "say(tried(os.posix_spawn, " CELLBLOCK_LOADER ", ['x'], {}), tried(os.popen, 'id'))",
     "EPERM",
     "seccomp",
     {{"seccomp", "landlock", "EACCES ENOENT"}, {"mounts", "seccomp", "EPERM"}}},
    {"B37", "a pool of processes",
     "import multiprocessing\nsay(tried(multiprocessing.get_context('fork').Pool, 2))",
     "EPERM | ENOENT | EACCES | ENOSYS", "seccomp"},
    {"B38", "threads within their number",
     "from concurrent.futures import ThreadPoolExecutor\n"
     "with ThreadPoolExecutor(4) as pool: print(sum(pool.map(lambda n: n, range(9))))",
     "36", "works"},
    {"B40", "a program out of memory",
     "say(call(319, b'x', 0), call(322, 1, b'', 0, 0, 0x1000), "
     "tried(os.execve, '/proc/self/fd/1', ['x'], {}))",
     "EPERM", "seccomp"},
    {"B41",
     "a shell at a terminal of its own",
     "import pty\nsay(tried(pty.spawn, '/bin/sh'))",
     "ENOENT | OSError | EPERM",
     "mounts",
     {{"mounts", "seccomp", "EACCES | EPERM | OSError"}}},
};

}  // namespace

TEST_CASE("A session starts no process and becomes no other program") {
  run_with_all_layers(kAttacks);
}

TEST_CASE("Processes and programs are held in a context too") { run_in_context(kAttacks); }

TEST_CASE("Processes and programs are held by a second layer too") {
  run_without_each_layer(kAttacks);
}

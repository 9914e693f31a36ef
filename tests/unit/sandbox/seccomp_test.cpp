#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "sandbox/seccomp_filter.hpp"
#include "support/catch.hpp"
#include "support/confined_child.hpp"

using namespace cellblock::sandbox;
using cellblock::test::in_child;

namespace {

constexpr int kNotInstalled = 200;

/// In a cage with mounts, and where there is neither.
FilterPrograms& filters() {
  static FilterPrograms made = *compile_filters({HostFiles::hidden, Signals::bounded});
  return made;
}
FilterPrograms& filters_without_cage() {
  static FilterPrograms made = *compile_filters({HostFiles::in_view, Signals::unbounded});
  return made;
}

int under(std::vector<sock_filter>& program, const std::function<int()>& body) {
  return in_child([&] { return install_filter(program) ? kNotInstalled : body(); });
}

/// 0, or the errno of the call as a session without children sees it.
int error_of(const std::function<long()>& call) {
  return under(filters().without_children, [&] { return call() == -1 ? errno : 0; });
}

/// A call by number, with arguments of the whole register width.
int error_of(long number, unsigned long a = 0, unsigned long b = 0, unsigned long c = 0,
             unsigned long d = 0) {
  return error_of([=] { return ::syscall(number, a, b, c, d, -1L, 0L); });
}

int mmap_error(unsigned long flags) {
  return error_of([=] {
    return ::syscall(SYS_mmap, 0UL, 4096UL, static_cast<unsigned long>(PROT_READ), flags, -1L, 0L);
  });
}

constexpr unsigned long kUpper = 1UL << 32;  // what the kernel does not look at

}  // namespace

TEST_CASE("The filter is seen by its own probe, and not where it is missing") {
  CHECK(under(filters().without_children, [] { return filter_is_seen() ? 0 : 1; }) == 0);
  CHECK(under(filters().with_children, [] { return filter_is_seen() ? 0 : 1; }) == 0);
  CHECK(in_child([] { return filter_is_seen() ? 0 : 1; }) == 1);
}

TEST_CASE("A program that the kernel does not take is a failed step with its reason") {
  std::vector<sock_filter> endless{{BPF_JMP | BPF_JA, 0, 0, 7}};
  CHECK(in_child([&] { return install_filter(endless).error; }) == EINVAL);
  CHECK(in_child([] {
          std::vector<sock_filter> none;
          return install_filter(none).error;
        }) == EINVAL);
}

TEST_CASE("A rule that libseccomp does not take is an error that names the call") {
  const auto program = compile_filter({{SYS_read, 0, {{9, 1, 1}}}});
  REQUIRE_FALSE(program);
  CHECK(program.error().kind == cellblock::ErrorKind::isolation_unavailable);
  CHECK_THAT(program.error().message, Catch::Matchers::ContainsSubstring("the rule for call 0"));
}

TEST_CASE("Threads start, and children only where they are allowed") {
  const auto run_thread = [] {
    int seen = 1;
    std::thread([&seen] { seen = 0; }).join();
    return seen;
  };
  const auto fork_error = [] {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    if (pid < 0) return errno;
    return ::waitpid(pid, nullptr, 0) == pid ? 0 : 1;
  };
  CHECK(under(filters().without_children, run_thread) == 0);
  CHECK(under(filters().with_children, run_thread) == 0);
  CHECK(under(filters().without_children, fork_error) == EPERM);
  CHECK(under(filters().with_children, fork_error) == 0);
  CHECK(error_of(SYS_clone3, 0, 0) == ENOSYS);
  CHECK(error_of(SYS_vfork) == EPERM);
  for (const unsigned long flags :
       {0UL, CLONE_NEWUSER | 17UL, CLONE_PARENT | 17UL, CLONE_VM | CLONE_VFORK | 17UL,
        kUpper | 0x3d0f00UL, 0x3d0f00UL | CLONE_NEWNET, 0x3d0f00UL | CLONE_UNTRACED}) {
    INFO(flags);
    CHECK(error_of(SYS_clone, flags) == EPERM);
    CHECK(under(filters().with_children, [flags] {
            return ::syscall(SYS_clone, flags, 0, 0, 0, 0) == -1 ? errno : 0;
          }) == EPERM);
  }
}

TEST_CASE("Nothing is ever executed") {
  const auto execute = [] {
    char* const words[] = {nullptr};
    ::execve("/bin/true", words, words);
    return errno;
  };
  CHECK(under(filters().without_children, execute) == EPERM);
  CHECK(under(filters().with_children, execute) == EPERM);
  CHECK(error_of(SYS_execveat, static_cast<unsigned long>(AT_FDCWD)) == EPERM);
  CHECK(error_of(SYS_memfd_create) == EPERM);
}

TEST_CASE("Signals go to one process only") {
  CHECK(error_of([] { return ::kill(::getpid(), 0); }) == 0);
  CHECK(error_of(SYS_kill, 4'194'000, 0) != EPERM);
  CHECK(error_of(SYS_kill, 0, 0) == EPERM);
  CHECK(error_of(SYS_kill, kUpper, 0) == EPERM);
  CHECK(error_of(SYS_kill, ~0UL, 0) == EPERM);
  CHECK(error_of(SYS_kill, 0xffff'ffffUL, 0) == EPERM);
  CHECK(error_of(SYS_kill, 0xffff'fffeUL, 0) == EPERM);
  auto& alone = filters_without_cage().without_children;
  CHECK(under(alone, [] { return ::kill(::getpid(), 0) == 0 ? 0 : errno; }) == 0);
  CHECK(under(alone, [] { return ::kill(::getppid(), 0) == 0 ? 0 : errno; }) == EPERM);
  CHECK(under(alone, [] {
          const auto tid = static_cast<pid_t>(::syscall(SYS_gettid));
          if (::syscall(SYS_tgkill, ::getpid(), tid, 0) != 0) return errno;
          const pid_t other = ::getppid();
          return ::syscall(SYS_tgkill, other, other, 0) == 0 ? 0 : errno;
        }) == EPERM);
  CHECK(under(filters().without_children, [] {
          ::abort();
          return 0;
        }) == -SIGABRT);
}

TEST_CASE("Sockets are refused but for the pairs that asyncio needs") {
  for (const unsigned long family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK}) {
    CHECK(error_of(SYS_socket, family, SOCK_STREAM) == EAFNOSUPPORT);
  }
  CHECK(under(filters().without_children, [] {
          int pair[2];
          char byte = 'x';
          if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return errno;
          const int size = 4096;
          if (::setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) != 0) return errno;
          if (::setsockopt(pair[0], SOL_SOCKET, SO_ATTACH_FILTER, &size, 4) == 0) return 1;
          if (errno != EPERM) return errno;
          if (::send(pair[0], &byte, 1, 0) != 1 || ::recv(pair[1], &byte, 1, 0) != 1) return errno;
          return 0;
        }) == 0);
  CHECK(error_of(SYS_socketpair, AF_INET, SOCK_STREAM) == EPERM);
  CHECK(error_of(SYS_socketpair, AF_UNIX, SOCK_DGRAM) == EPERM);
  for (const long number : {SYS_connect, SYS_bind, SYS_listen, SYS_accept4}) {
    CHECK(error_of(number, ~0UL) == EPERM);
  }
}

TEST_CASE("Memory that the limit does not count is not to be had") {
  CHECK(mmap_error(MAP_PRIVATE | MAP_ANONYMOUS) == 0);
  CHECK(mmap_error(MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE) == 0);
  CHECK(mmap_error(MAP_SHARED) == EBADF);
  CHECK(mmap_error(MAP_SHARED | MAP_ANONYMOUS) == EPERM);
  CHECK(mmap_error(kUpper | MAP_SHARED | MAP_ANONYMOUS) == EPERM);
  CHECK(mmap_error(MAP_SHARED_VALIDATE | MAP_ANONYMOUS) == EPERM);
  CHECK(mmap_error(MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN) == EPERM);
  CHECK(mmap_error(MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB) == EPERM);
  CHECK(mmap_error(MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED) == EPERM);
  CHECK(error_of(SYS_mprotect, 1, 1, PROT_READ | PROT_GROWSDOWN) == EPERM);
  CHECK(error_of(SYS_madvise, 0, 0, MADV_DONTNEED) == 0);
  for (unsigned long advice = 0; advice < 128; ++advice) {
    const bool allowed = advice <= 4 || advice == MADV_FREE || advice == 10 || advice == 11 ||
                         (advice >= MADV_HUGEPAGE && advice <= 19) || advice == 102 ||
                         advice == 103;
    INFO(advice);
    CHECK((error_of(SYS_madvise, 0, 0, advice) != EPERM) == allowed);
  }
  CHECK(error_of(SYS_mlockall, 1) == EPERM);
  CHECK(error_of(SYS_shmget, 0, 4096, 0600) == EPERM);
  CHECK(error_of(SYS_mq_open, 0, 0) == EPERM);
}

TEST_CASE("No file gets the rights of its owner for others, by whatever call makes or changes it") {
  for (const unsigned long bit : {04000UL, 02000UL, 06000UL}) {
    const unsigned long mode = 0755 | bit;
    CHECK(error_of(SYS_chmod, 0, mode) == EPERM);
    CHECK(error_of(SYS_chmod, 0, mode | kUpper) == EPERM);
    CHECK(error_of(SYS_fchmod, -1UL, mode) == EPERM);
    CHECK(error_of(SYS_fchmodat, -1UL, 0, mode) == EPERM);
    CHECK(error_of(SYS_open, 0, O_CREAT, mode) == EPERM);
    CHECK(error_of(SYS_openat, -1UL, 0, O_CREAT, mode) == EPERM);
    CHECK(error_of(SYS_creat, 0, mode) == EPERM);
  }
  CHECK(error_of(SYS_chmod, 0, 0755) == EFAULT);
  CHECK(error_of(SYS_fchmod, -1UL, 01777) == EBADF);
  CHECK(error_of(SYS_openat, -1UL, 0, O_CREAT, 0666) == EFAULT);
}

TEST_CASE("A process stays as it was set up") {
  for (const unsigned long option : {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER,
                                     PR_SET_TIMERSLACK, PR_SET_SECCOMP, PR_SET_MM}) {
    INFO(option);
    CHECK(error_of(SYS_prctl, option) == EPERM);
    CHECK(error_of(SYS_prctl, kUpper | option) == EPERM);
  }
  CHECK(error_of([] { return ::prctl(PR_SET_NAME, "x", 0, 0, 0); }) == 0);
  CHECK(error_of(SYS_prctl, PR_GET_DUMPABLE) == 0);
  rlimit limit{};
  CHECK(error_of([&] { return ::getrlimit(RLIMIT_NOFILE, &limit); }) == 0);
  CHECK(error_of(SYS_prlimit64, 1, RLIMIT_NOFILE) == EPERM);
  CHECK(error_of(SYS_personality, 0xffff'ffffUL) == 0);
  CHECK(error_of(SYS_personality, 0) == EPERM);
  for (const long number :
       {SYS_unshare, SYS_setns, SYS_mount, SYS_chroot, SYS_ptrace, SYS_bpf, SYS_seccomp, SYS_keyctl,
        SYS_landlock_create_ruleset, SYS_setpriority, SYS_sched_setaffinity, SYS_sched_setscheduler,
        SYS_ioprio_set, SYS_setpgid, SYS_setsid, SYS_modify_ldt}) {
    INFO(number);
    CHECK(error_of(number) == EPERM);
  }
}

TEST_CASE("Descriptors take what concerns themselves, and nothing that reaches a terminal") {
  CHECK(error_of(SYS_ioctl, 0, TIOCSTI) == EPERM);
  CHECK(error_of(SYS_ioctl, 0, kUpper | TIOCSTI) == EPERM);
  CHECK(error_of(SYS_ioctl, 0, TIOCLINUX) == EPERM);
  CHECK(error_of(SYS_ioctl, ~0UL, TCGETS) == EBADF);
  CHECK(error_of(SYS_ioctl, ~0UL, FICLONE) == EOPNOTSUPP);
  CHECK(error_of(SYS_fcntl, 1, F_GETFD) == 0);
  for (unsigned long command = 0; command < 48; ++command) {
    INFO(command);
    const bool allowed = command < 8 || (command >= 36 && command <= 38);
    CHECK((error_of(SYS_fcntl, ~0UL, command) == EBADF) == allowed);
  }
  for (const unsigned long command : {F_SETLEASE, F_NOTIFY, F_SETOWN, F_SETPIPE_SZ}) {
    CHECK(error_of(SYS_fcntl, 1, command) == EPERM);
  }
  CHECK(error_of(SYS_flock, 1, 2) == EPERM);
  CHECK(error_of(SYS_mknod, 0, S_IFIFO | 0600) == EFAULT);
  CHECK(error_of(SYS_mknod, 0, S_IFCHR | 0600) == EPERM);
  CHECK(error_of(SYS_mknodat, ~0UL, 0, S_IFSOCK | 0600) == EPERM);
}

TEST_CASE(
    "Owner, mode, times and size change by name only where the host's files are out of view") {
  for (const long number : {SYS_truncate, SYS_chmod, SYS_chown, SYS_utimes}) {
    INFO(number);
    CHECK(error_of(number) == EFAULT);
    CHECK(under(filters_without_cage().without_children,
                [number] { return ::syscall(number, 0, 0, 0) == -1 ? errno : 0; }) == EPERM);
  }
  CHECK(error_of(SYS_setxattr) == EPERM);
}

TEST_CASE("Numbers that the table does not know do not exist") {
  for (const long number : {337L, 423L, 451L, 470L, 1023L, 0x3fff'ffffL}) {
    INFO(number);
    CHECK(error_of(number) == ENOSYS);
  }
  CHECK(error_of(SYS_io_uring_setup) == ENOSYS);
}

TEST_CASE("Calls by another architecture's table end the process") {
  CHECK(error_of(0x4000'0000L | SYS_getpid) == -SIGSYS);
  CHECK(under(filters().without_children, [] {
          long result = 20;  // getpid of i386
          asm volatile("int $0x80" : "+a"(result) : : "memory");
          return 0;
        }) == -SIGSYS);
}

#include "sandbox/seccomp_table.hpp"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

#include "sandbox/kernel.hpp"

namespace cellblock::sandbox {
namespace {

using Table = std::vector<SyscallRule>;
using Numbers = std::initializer_list<long>;
using Values = std::initializer_list<std::uint64_t>;

constexpr std::uint64_t kWord = 0xffff'ffff;
// A program that a session leaves in a folder of the machine must lend nobody its owner's rights:
// nosuid holds in the session's mount only.
constexpr std::uint64_t kSetIdBits = S_ISUID | S_ISGID;

// --- helpers that add lines ----------------------------------------------------------------------

void allow(Table& table, Numbers numbers) {
  for (const long number : numbers) table.push_back({number, 0, {}});
}

void answer(Table& table, int error, Numbers numbers) {
  for (const long number : numbers) table.push_back({number, error, {}});
}

/// Lets the call through when its argument is one of the values.
void allow_values(Table& table, long number, unsigned argument, Values values) {
  for (const std::uint64_t value : values) {
    table.push_back({number, 0, {{argument, kWord, value}}});
  }
}

/// The same for `count` values from `first` on, in one line: each costs time when a session
/// installs the filter. `count` is a power of two that divides `first`.
void allow_values_from(Table& table, long number, unsigned argument, std::uint64_t first,
                       std::uint64_t count) {
  table.push_back({number, 0, {{argument, kWord & ~(count - 1), first}}});
}

/// Lets the call through when its argument has none of the bits.
void allow_without(Table& table, long number, unsigned argument, std::uint64_t bits) {
  table.push_back({number, 0, {{argument, bits, 0}}});
}

// --- calls without argument rules ----------------------------------------------------------------

void add_io(Table& table) {
  allow(table, {SYS_read,
                SYS_write,
                SYS_readv,
                SYS_writev,
                SYS_pread64,
                SYS_pwrite64,
                SYS_preadv,
                SYS_pwritev,
                SYS_preadv2,
                SYS_pwritev2,
                SYS_lseek,
                SYS_close,
                SYS_close_range,
                SYS_dup,
                SYS_dup2,
                SYS_dup3,
                SYS_pipe,
                SYS_pipe2,
                SYS_poll,
                SYS_ppoll,
                SYS_select,
                SYS_pselect6,
                SYS_epoll_create,
                SYS_epoll_create1,
                SYS_epoll_ctl,
                SYS_epoll_wait,
                SYS_epoll_pwait,
                SYS_epoll_pwait2,
                SYS_eventfd,
                SYS_eventfd2,
                SYS_timerfd_create,
                SYS_timerfd_settime,
                SYS_sendfile,
                SYS_fsync,
                SYS_timerfd_gettime,
                SYS_copy_file_range,
                SYS_fdatasync,
                SYS_ftruncate,
                SYS_sync_file_range,
                SYS_fallocate,
                SYS_fadvise64,
                SYS_readahead});
}

void add_files(Table& table) {
  // First, since it is the one that is called most. Elsewhere the mode means nothing and is 0.
  allow_without(table, SYS_openat, 3, kSetIdBits);
  allow_without(table, SYS_open, 2, kSetIdBits);
  allow_without(table, SYS_creat, 1, kSetIdBits);
  allow(table, {SYS_stat,      SYS_fstat,      SYS_lstat,      SYS_newfstatat, SYS_statx,
                SYS_access,    SYS_faccessat,  SYS_faccessat2, SYS_readlink,   SYS_readlinkat,
                SYS_getdents,  SYS_getdents64, SYS_mkdir,      SYS_mkdirat,    SYS_rmdir,
                SYS_unlink,    SYS_unlinkat,   SYS_rename,     SYS_renameat,   SYS_renameat2,
                SYS_link,      SYS_linkat,     SYS_symlink,    SYS_symlinkat,  SYS_statfs,
                SYS_fstatfs,   SYS_getcwd,     SYS_chdir,      SYS_fchdir,     SYS_umask,
                SYS_getxattr,  SYS_lgetxattr,  SYS_fgetxattr,  SYS_listxattr,  SYS_llistxattr,
                SYS_flistxattr});
}

void add_changes_by_name(Table& table) {
  allow_without(table, SYS_chmod, 1, kSetIdBits);
  allow_without(table, SYS_fchmod, 1, kSetIdBits);
  allow_without(table, SYS_fchmodat, 2, kSetIdBits);
  allow(table, {SYS_truncate, SYS_chown, SYS_fchown, SYS_lchown, SYS_fchownat, SYS_utime,
                SYS_utimes, SYS_futimesat, SYS_utimensat});
}

void add_process(Table& table) {
  allow(table, {SYS_brk,
                SYS_munmap,
                SYS_mremap,
                SYS_msync,
                SYS_futex,
                SYS_set_robust_list,
                SYS_set_tid_address,
                SYS_rseq,
                SYS_membarrier,
                SYS_exit,
                SYS_exit_group,
                SYS_wait4,
                SYS_waitid,
                SYS_getpid,
                SYS_getppid,
                SYS_gettid,
                SYS_getpgrp,
                SYS_getpgid,
                SYS_getsid,
                SYS_getuid,
                SYS_geteuid,
                SYS_getgid,
                SYS_getegid,
                SYS_getresuid,
                SYS_getresgid,
                SYS_getgroups,
                SYS_getrusage,
                SYS_getrlimit,
                SYS_capget,
                SYS_getrandom,
                SYS_uname,
                SYS_sysinfo,
                SYS_getcpu});
}

void add_signals_and_time(Table& table) {
  allow(table, {SYS_rt_sigaction,
                SYS_rt_sigprocmask,
                SYS_rt_sigreturn,
                SYS_rt_sigpending,
                SYS_rt_sigtimedwait,
                SYS_rt_sigsuspend,
                SYS_sigaltstack,
                SYS_restart_syscall,
                SYS_pause,
                SYS_alarm,
                SYS_setitimer,
                SYS_getitimer,
                SYS_clock_gettime,
                SYS_clock_getres,
                SYS_clock_nanosleep,
                SYS_nanosleep,
                SYS_gettimeofday,
                SYS_time,
                SYS_times,
                SYS_sched_yield,
                SYS_sched_getaffinity,
                SYS_sched_getparam,
                SYS_sched_getscheduler,
                SYS_sched_rr_get_interval,
                SYS_getpriority,
                SYS_sched_get_priority_max,
                SYS_sched_get_priority_min});
}

// --- calls with argument rules -------------------------------------------------------------------

void add_memory_rules(Table& table) {
  // RLIMIT_DATA counts neither shared anonymous memory nor stacks that grow; huge pages and locked
  // memory are scarce on the whole machine.
  constexpr std::uint64_t never = MAP_GROWSDOWN | MAP_HUGETLB | MAP_LOCKED;
  for (const std::uint64_t kind : {0, MAP_SHARED, MAP_ANONYMOUS}) {
    table.push_back({SYS_mmap, 0, {{3, never | MAP_SHARED | MAP_ANONYMOUS, kind}}});
  }
  table.push_back({SYS_mprotect, 0, {{2, PROT_GROWSDOWN | PROT_GROWSUP, 0}}});
  // Not MERGEABLE: same-page merging tells sessions what others have in memory.
  allow_values_from(table, SYS_madvise, 2, MADV_NORMAL, 4);  // to WILLNEED
  allow_values(table, SYS_madvise, 2, {MADV_DONTNEED, MADV_FREE});
  allow_values_from(table, SYS_madvise, 2, MADV_DONTFORK, 2);      // and DOFORK
  allow_values_from(table, SYS_madvise, 2, MADV_HUGEPAGE, 2);      // and NOHUGEPAGE
  allow_values_from(table, SYS_madvise, 2, MADV_DONTDUMP, 4);      // to KEEPONFORK
  allow_values_from(table, SYS_madvise, 2, kMadvGuardInstall, 2);  // and GUARD_REMOVE
}

void add_process_rules(Table& table, Children children) {
  constexpr std::uint64_t pthread_flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                                          CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
                                          CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  constexpr std::uint64_t fork_flags = CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD;
  constexpr std::uint64_t whole = ~0ULL;  // clone's flags are a long
  table.push_back({SYS_clone, 0, {{0, whole, pthread_flags}}});
  if (children == Children::allowed) {
    // vfork and posix_spawn stay refused: they are of use only before execve, which always is.
    table.push_back({SYS_clone, 0, {{0, whole, fork_flags}}});
    // A child that leaves its group is ended with its session all the same.
    allow(table, {SYS_fork, SYS_setsid});
  }
  // One's own limits: read, or lowered, since raising needs a capability.
  table.push_back({SYS_prlimit64, 0, {{0, kWord, 0}}});
  table.push_back({SYS_get_robust_list, 0, {{0, kWord, 0}}});
  allow_values(table, SYS_personality, 0, {kWord});  // asks, changes nothing
  // Names, and questions. PDEATHSIG, DUMPABLE, CHILD_SUBREAPER and the rest stay as they were set.
  allow_values(table, SYS_prctl, 0,
               {PR_SET_NAME, PR_GET_NAME, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_GET_SECCOMP,
                PR_CAPBSET_READ, PR_GET_TIMERSLACK, PR_GET_CHILD_SUBREAPER, PR_GET_NO_NEW_PRIVS,
                PR_GET_THP_DISABLE, PR_SET_VMA});
}

void add_signal_rules(Table& table, Signals signals) {
  if (signals == Signals::unbounded) {
    allow_values(table, SYS_kill, 0, {kOwnPid});
    allow_values(table, SYS_tgkill, 0, {kOwnPid});
    return;
  }
  allow(table, {SYS_tgkill, SYS_tkill});
  // One process, never a group or everybody: not negative, and one of the bits that process numbers
  // have (they end at 1 << 22).
  constexpr std::uint64_t sign = 1U << 31;
  for (std::uint64_t bit = 1; bit <= 1U << 22; bit <<= 1) {
    table.push_back({SYS_kill, 0, {{0, sign | bit, bit}}});
  }
}

void add_descriptor_rules(Table& table) {
  // Record locks, which sqlite needs, can harm nobody on a file that is open for reading only;
  // flock can, so it has no line. Not SETLEASE and NOTIFY, which make others wait, nor SETOWN.
  allow_values_from(table, SYS_fcntl, 1, F_DUPFD, 8);      // to SETLKW: flags and record locks
  allow_values_from(table, SYS_fcntl, 1, F_OFD_GETLK, 2);  // and OFD_SETLK
  allow_values(table, SYS_fcntl, 1, {F_OFD_SETLKW, F_DUPFD_CLOEXEC, F_GETPIPE_SZ});
  // Questions and what concerns one's own descriptor; nothing that puts input into a terminal.
  allow_values(table, SYS_ioctl, 1, {TCGETS, TCGETS2, TIOCGWINSZ, FIONREAD, FIONBIO});
  allow_values_from(table, SYS_ioctl, 1, FIONCLEX, 2);  // and FIOCLEX
  // Python 3.14 copies by it first, and goes on only after this error.
  table.push_back({SYS_ioctl, EOPNOTSUPP, {{1, kWord, FICLONE}}});
  // FIFOs; devices and sockets are refused.
  table.push_back({SYS_mknod, 0, {{1, S_IFMT, S_IFIFO}}});
  table.push_back({SYS_mknodat, 0, {{2, S_IFMT, S_IFIFO}}});
}

void add_sockets(Table& table) {
  answer(table, EAFNOSUPPORT, {SYS_socket});
  // asyncio wakes itself up through a pair. Not of datagrams: from one end of such a pair messages
  // can be sent to any other socket of the machine, without connect().
  constexpr std::uint64_t type_bits = 0xf;
  table.push_back({SYS_socketpair, 0, {{0, kWord, AF_UNIX}, {1, type_bits, SOCK_STREAM}}});
  allow(table, {SYS_sendto, SYS_sendmsg, SYS_recvfrom, SYS_recvmsg, SYS_shutdown, SYS_getsockname,
                SYS_getpeername, SYS_getsockopt});
  // Not ATTACH_FILTER and its like, which hand programs to the kernel.
  for (const std::uint64_t option :
       {SO_REUSEADDR, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_LINGER, SO_RCVTIMEO, SO_SNDTIMEO}) {
    table.push_back({SYS_setsockopt, 0, {{1, kWord, SOL_SOCKET}, {2, kWord, option}}});
  }
}

// What the C library asks for first and does without; EPERM it would take for an answer.
void add_absent(Table& table) {
  answer(table, ENOSYS,
         {SYS_clone3, SYS_openat2, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
          SYS_futex_waitv, SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect});
}

}  // namespace

std::vector<SyscallRule> syscall_table(Children children, const Surroundings& surroundings) {
  Table table;
  add_io(table);
  add_files(table);
  if (surroundings.host_files == HostFiles::hidden) add_changes_by_name(table);
  add_process(table);
  add_signals_and_time(table);
  add_memory_rules(table);
  add_process_rules(table, children);
  add_signal_rules(table, surroundings.signals);
  add_descriptor_rules(table);
  add_sockets(table);
  add_absent(table);
  return table;
}

}  // namespace cellblock::sandbox

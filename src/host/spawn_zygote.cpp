#include "host/spawn_zygote.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/socket.hpp"

namespace cellblock::host {
namespace {

struct Program {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  int control;
  int liveness;
  int complaints;
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (const std::string& text : strings) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// In the child, between fork and exec: raw calls only. `go` gives one byte when the id maps stand,
/// or its end when the host has died first: so the child must hold no writing end, neither of this
/// pipe nor of one that another thread makes.
[[noreturn]] void run_child(const Program& program, int go, int report) {
  // First out of the way of 0 to 6, then into place.
  const int control = ::fcntl(program.control, F_DUPFD, 64);
  const int liveness = ::fcntl(program.liveness, F_DUPFD, 64);
  const int complaints = ::fcntl(program.complaints, F_DUPFD, 64);
  const int failure = ::fcntl(report, F_DUPFD_CLOEXEC, 64);
  const int ready = ::fcntl(go, F_DUPFD_CLOEXEC, 64);
  const int null = ::open("/dev/null", O_RDWR);
  if (control < 0 || liveness < 0 || complaints < 0 || failure < 0 || ready < 0 || null < 0) {
    ::_exit(127);
  }
  ::dup2(null, 0);
  ::dup2(null, 1);
  ::dup2(complaints, 2);
  ::dup2(control, 3);
  ::dup2(liveness, 4);
  ::dup3(failure, 5, O_CLOEXEC);
  ::dup3(ready, 6, O_CLOEXEC);
  ::syscall(SYS_close_range, 7U, ~0U, 0U);
  char byte = 0;
  while (::read(6, &byte, 1) < 0 && errno == EINTR) {
  }
  if (byte != 'g') ::_exit(127);
  // The host program's signal set-up is not the zygote's.
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGQUIT, SIGUSR1, SIGUSR2}) {
    ::signal(number, SIG_DFL);
  }
  ::execve(program.arguments[0], program.arguments.data(), program.environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(5, &error, sizeof(error));
  ::_exit(127);
}

bool write_file(const std::string& path, std::string_view text) {
  const base::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// This user becomes 0 in the child's user namespace: exec keeps the capabilities there.
bool write_id_maps(int pid) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/";
  return write_file(folder + "setgroups", "deny") &&
         write_file(folder + "uid_map", "0 " + std::to_string(::geteuid()) + " 1") &&
         write_file(folder + "gid_map", "0 " + std::to_string(::getegid()) + " 1");
}

void reap(const base::UniqueFd& process) {
  siginfo_t info{};
  // __WALL: a clone with exit signal 0 is not waited for otherwise.
  ::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(process.get()), &info,
           WEXITED | __WALL);
}

enum class Attempt { namespaces_refused, failed, started };

struct Outcome {
  Attempt attempt = Attempt::failed;
  int error = 0;
  SpawnedZygote zygote;
};

Outcome try_spawn(const Program& program, std::uint64_t namespaces) {
  auto [go_read, go_write] = base::make_pipe();
  auto [report_read, report_write] = base::make_pipe();
  if (!go_read || !report_read) return {.error = errno, .zygote = {}};
  int pidfd = -1;
  clone_args arguments{};
  arguments.flags = CLONE_PIDFD | namespaces;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  arguments.exit_signal = 0;
  const long pid = ::syscall(SYS_clone3, &arguments, sizeof(arguments));
  if (pid == 0) run_child(program, go_read.get(), report_write.get());
  if (pid < 0) {
    const int error = errno;
    return {.attempt = namespaces != 0 ? Attempt::namespaces_refused : Attempt::failed,
            .error = error,
            .zygote = {}};
  }
  SpawnedZygote zygote{.process = base::UniqueFd(pidfd), .pid = static_cast<int>(pid)};
  go_read.reset();
  report_write.reset();
  if ((namespaces & CLONE_NEWUSER) != 0 && !write_id_maps(zygote.pid)) {
    const int error = errno;
    go_write.reset();
    reap(zygote.process);
    return {.attempt = Attempt::namespaces_refused, .error = error, .zygote = {}};
  }
  [[maybe_unused]] const ssize_t told = ::write(go_write.get(), "g", 1);
  int exec_error = 0;
  ssize_t got = 0;
  do {
    got = ::read(report_read.get(), &exec_error, sizeof(exec_error));
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    reap(zygote.process);
    return {.attempt = Attempt::failed, .error = exec_error, .zygote = {}};
  }
  return {.attempt = Attempt::started, .error = 0, .zygote = std::move(zygote)};
}

}  // namespace

Expected<SpawnedZygote> spawn_zygote(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& environment,
                                     const base::UniqueFd& control, const base::UniqueFd& liveness,
                                     const base::UniqueFd& complaints) {
  const Program program{.arguments = pointers(arguments),
                        .environment = pointers(environment),
                        .control = control.get(),
                        .liveness = liveness.get(),
                        .complaints = complaints.get()};
  constexpr std::array<std::uint64_t, 3> kTries{CLONE_NEWPID, CLONE_NEWUSER | CLONE_NEWPID, 0};
  Outcome outcome;
  for (const std::uint64_t namespaces : kTries) {
    outcome = try_spawn(program, namespaces);
    if (outcome.attempt != Attempt::namespaces_refused) break;
  }
  if (outcome.attempt == Attempt::started) return std::move(outcome.zygote);
  return Error{ErrorKind::host_error, "The zygote program " + arguments.front() +
                                          " cannot be started (" + std::strerror(outcome.error) +
                                          "): install Cellblock whole, or name it."};
}

}  // namespace cellblock::host

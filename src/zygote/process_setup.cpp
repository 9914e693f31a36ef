#include "zygote/process_setup.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "sandbox/kernel.hpp"
#include "sandbox/no_new_privileges.hpp"

namespace cellblock::zygote {
namespace {

constexpr std::array kOneThread{"OMP_NUM_THREADS",  "OPENBLAS_NUM_THREADS",  "MKL_NUM_THREADS",
                                "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS",   "NUMEXPR_MAX_THREADS",
                                "GOTO_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"};
constexpr int kMaxMallocArenas = 2;

Error failed(const std::string& what) { return Error{ErrorKind::host_error, what}; }

Expected<void> replace_standard_streams() {
  const base::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null)
    return failed(std::string("/dev/null cannot be opened (") + std::strerror(errno) + ").");
  ::dup2(null.get(), STDIN_FILENO);
  ::dup2(null.get(), STDOUT_FILENO);
  if (::fcntl(STDERR_FILENO, F_GETFD) < 0) ::dup2(null.get(), STDERR_FILENO);
  return {};
}

void close_range_of(int first, int last) {
  if (first <= last) {
    ::syscall(SYS_close_range, static_cast<unsigned>(first), static_cast<unsigned>(last), 0U);
  }
}

void keep_only(const Options& options) {
  const auto [low, high] = std::minmax(options.control_fd, options.liveness_fd);
  close_range_of(STDERR_FILENO + 1, low - 1);
  close_range_of(low + 1, high - 1);
  ::syscall(SYS_close_range, static_cast<unsigned>(high + 1), ~0U, 0U);
}

std::size_t count_threads() {
  std::error_code error;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    static_cast<void>(entry);
    ++count;
  }
  return count;
}

}  // namespace

Expected<void> set_up_process(const Options& options) {
  if (auto streams = replace_standard_streams(); !streams) return streams;
  keep_only(options);
  ::fcntl(options.control_fd, F_SETFD, FD_CLOEXEC);
  ::fcntl(options.liveness_fd, F_SETFD, FD_CLOEXEC);
  ::setsid();  // fails only where it is not needed: the host has done it
  for (const char* name : kOneThread) ::setenv(name, "1", 1);
  // What sessions start with: those that want nothing else need not change it.
  ::setenv("LANG", "C.UTF-8", 1);
  ::setenv("TZ", "UTC", 1);
  ::mallopt(M_ARENA_MAX, kMaxMallocArenas);
  if (const auto failure = sandbox::forbid_dumps()) {
    return failed(std::string("The zygote cannot ") + failure.step + ".");
  }
  return {};
}

Expected<void> check_process(const Options& options) {
  const std::size_t threads = count_threads();
  if (threads != 1) {
    return failed("The preloaded packages left " + std::to_string(threads - 1) +
                  " threads running, and a process with threads cannot be forked safely: take the "
                  "package that starts them out of the preload list.");
  }
  keep_only(options);
  // Free chunks are joined here, once; otherwise every session does it, at a page fault each.
  ::malloc_trim(0);
  return {};
}

}  // namespace cellblock::zygote

#include "rpc/private_stdio.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace cellblock::rpc {
namespace {

// Above the standard descriptors, and not inherited.
base::UniqueFd duplicate(int fd) { return base::UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

bool replace(int fd, const char* device, int flags) {
  const base::UniqueFd opened(::open(device, flags | O_CLOEXEC));
  return opened &&
         (opened.get() == fd ? ::fcntl(fd, F_SETFD, 0) == 0 : ::dup2(opened.get(), fd) == fd);
}

}  // namespace

Expected<PrivateStdio> take_stdio() {
  PrivateStdio stdio{duplicate(STDIN_FILENO), duplicate(STDOUT_FILENO)};
  if (!stdio.input || !stdio.output) {
    return Error{ErrorKind::host_error,
                 std::string("Standard input and output must be open: ") + std::strerror(errno)};
  }
  const bool has_stderr = ::fcntl(STDERR_FILENO, F_GETFD) >= 0;
  if ((!has_stderr && !replace(STDERR_FILENO, "/dev/null", O_WRONLY)) ||
      !replace(STDIN_FILENO, "/dev/null", O_RDONLY) ||
      ::dup2(STDERR_FILENO, STDOUT_FILENO) != STDOUT_FILENO) {
    return Error{ErrorKind::host_error,
                 std::string("Cannot set up standard input and output: ") + std::strerror(errno)};
  }
  return stdio;
}

}  // namespace cellblock::rpc

#include "sandbox/descriptors.hpp"

#include <unistd.h>

#include "sandbox/kernel.hpp"

namespace cellblock::sandbox {
namespace {

// Out of the way of every place that is written to below.
constexpr int kFirstSpareFd = 16;

Failure put(int from, int to) {
  return check(::dup2(from, to), "move a descriptor of the session to its place");
}

}  // namespace

Failure arrange_descriptors(int channel, int out, int err, int stack) {
  channel = ::fcntl(channel, F_DUPFD, kFirstSpareFd);
  out = ::fcntl(out, F_DUPFD, kFirstSpareFd);
  err = ::fcntl(err, F_DUPFD, kFirstSpareFd);
  stack = ::fcntl(stack, F_DUPFD, kFirstSpareFd);
  if (const Failure failure = put(out, kStdoutFd)) return failure;
  if (const Failure failure = put(err, kStderrFd)) return failure;
  if (const Failure failure = put(channel, kChannelFd)) return failure;
  if (const Failure failure = put(stack, kStackFd)) return failure;
  return check(::syscall(SYS_close_range, kFirstClosedFd, ~0U, 0U), "close other descriptors");
}

bool descriptors_are_exact() {
  for (int fd = kStdinFd; fd < kFirstClosedFd; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) return false;
  }
  return ::fcntl(kFirstClosedFd, F_GETFD) < 0;
}

}  // namespace cellblock::sandbox

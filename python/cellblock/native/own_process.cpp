#include "own_process.hpp"

#include <pthread.h>

#include <atomic>

#include "errors.hpp"

namespace cellblock::sdk {
namespace {

std::atomic<std::uint64_t> number_now{1};

}  // namespace

std::uint64_t process_number() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++number_now; });
  static_cast<void>(registered);
  return number_now;
}

Error inherited_by_fork() {
  return {ErrorKind::host_error,
          "This object was inherited by fork and belongs to the parent process: open an executor "
          "and sessions in this process."};
}

void require_own_process(std::uint64_t number) {
  if (number == process_number()) return;
  const Error error = inherited_by_fork();
  raise(error.kind, error.message);
}

}  // namespace cellblock::sdk

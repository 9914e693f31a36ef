#include "wake_up.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

namespace cellblock::sdk {

WakeUp::WakeUp() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void WakeUp::signal() noexcept { static_cast<void>(::eventfd_write(fd_.get(), 1)); }

void WakeUp::clear() noexcept {
  eventfd_t value = 0;
  static_cast<void>(::eventfd_read(fd_.get(), &value));
}

bool WakeUp::wait(std::chrono::nanoseconds limit) const noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = (limit - seconds).count()};
  pollfd entry{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  return ::ppoll(&entry, 1, &time, nullptr) == 1;
}

}  // namespace cellblock::sdk

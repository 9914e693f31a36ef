#include "cli/signals.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace cellblock::cli {
namespace {

constexpr std::array kHandled = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT};
constexpr std::size_t kEnds = 3;  // of them, from the first

// What a handler may touch.
volatile std::sig_atomic_t interrupts = 0;
volatile std::sig_atomic_t end_signal = 0;
volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t continued = 0;
volatile std::sig_atomic_t handler_fd = -1;
std::array<struct sigaction, kHandled.size()> before;

extern "C" void note_signal(int signal) {
  const int saved_errno = errno;
  switch (signal) {
    case SIGINT:
      interrupts = interrupts + 1;
      break;
    case SIGWINCH:
      resized = 1;
      break;
    case SIGCONT:
      continued = 1;
      break;
    default:
      end_signal = signal;
  }
  const std::uint64_t one = 1;
  static_cast<void>(!::write(handler_fd, &one, sizeof(one)));
  errno = saved_errno;
}

int take(volatile std::sig_atomic_t& value) {
  const int taken = value;
  value = value - taken;
  return taken;
}

}  // namespace

Signals::Signals(Watch watch)
    : handled_(watch == Watch::ends ? kEnds : kHandled.size()),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (auto* note : {&interrupts, &end_signal, &resized, &continued}) *note = 0;
  handler_fd = wake_fd_;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < handled_; ++i) {
    ::sigaction(kHandled.at(i), &action, &before.at(i));
  }
}

Signals::~Signals() {
  for (std::size_t i = 0; i < handled_; ++i) {
    ::sigaction(kHandled.at(i), &before.at(i), nullptr);
  }
  handler_fd = -1;
  ::close(wake_fd_);
}

int Signals::take_interrupts() { return take(interrupts); }

int Signals::ended_by() const { return end_signal; }

bool Signals::take_resized() { return take(resized) != 0; }

bool Signals::take_continued() { return take(continued) != 0; }

void Signals::clear_wake() const {
  eventfd_t count = 0;
  ::eventfd_read(wake_fd_, &count);
}

}  // namespace cellblock::cli

#include "host/supervisor.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace cellblock::host {
namespace {

constexpr Supervisor::Token kStopToken = 0;

}  // namespace

Supervisor::Supervisor()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), stop_event_(::eventfd(0, EFD_CLOEXEC)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kStopToken;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, stop_event_.get(), &event);
  thread_ = std::thread([this] { loop(); });
}

Supervisor::~Supervisor() {
  ::eventfd_write(stop_event_.get(), 1);
  thread_.join();
}

Supervisor::Token Supervisor::watch(int fd, std::uint32_t events, Handler handler) {
  const std::lock_guard lock(mutex_);
  const Token token = next_token_++;
  watches_.emplace(token, Watch{fd, std::make_shared<Handler>(std::move(handler))});
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  return token;
}

void Supervisor::change(Token token, std::uint32_t events) {
  const std::lock_guard lock(mutex_);
  const auto found = watches_.find(token);
  if (found == watches_.end()) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, found->second.fd, &event);
}

void Supervisor::unwatch(Token token) {
  const std::lock_guard lock(mutex_);
  const auto found = watches_.find(token);
  if (found == watches_.end()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
  watches_.erase(found);
}

void Supervisor::loop() {
  std::array<epoll_event, 64> events{};
  while (true) {
    const int count =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events.at(static_cast<std::size_t>(i));
      if (event.data.u64 == kStopToken) return;
      std::shared_ptr<Handler> handler;
      {
        const std::lock_guard lock(mutex_);
        const auto found = watches_.find(event.data.u64);
        if (found == watches_.end()) continue;
        handler = found->second.handler;
      }
      (*handler)(event.events);
    }
  }
}

}  // namespace cellblock::host

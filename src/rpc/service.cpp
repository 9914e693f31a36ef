#include "rpc/service.hpp"

#include <sys/eventfd.h>

#include <utility>

namespace cellblock::rpc {

Service::Service(ServerOptions options, int wake_fd)
    : options_(std::move(options)), wake_fd_(wake_fd), executors_(options_.executor) {}

Expected<void> Service::start() {
  const auto executor = executors_.get();
  if (!executor) return Error{executor.error().kind, executor.error().message};
  if (options_.check) {
    check_ = std::async(std::launch::async, [this, executor = *executor] { check(*executor); });
  }
  return {};
}

void Service::check(Executor& executor) {
  auto checked = options_.check(executor);
  if (checked) return;
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(checked).error();
  }
  ::eventfd_write(wake_fd_, 1);
}

bool Service::wait_until_checked(std::chrono::milliseconds limit) const {
  return !check_.valid() || check_.wait_for(limit) == std::future_status::ready;
}

Expected<void> Service::outcome() const {
  const std::lock_guard lock(mutex_);
  if (failure_) return *failure_;
  return {};
}

}  // namespace cellblock::rpc

#include "in_process/mailbox.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <utility>

namespace cellblock::in_process {

std::shared_ptr<Mailbox> Mailbox::open(host::Supervisor& supervisor) {
  base::UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return nullptr;
  auto mailbox = std::shared_ptr<Mailbox>(new Mailbox(supervisor, std::move(event)));
  mailbox->token_ = supervisor.watch(mailbox->event_.get(), EPOLLIN,
                                     [weak = mailbox->weak_from_this()](std::uint32_t /*events*/) {
                                       if (const auto self = weak.lock()) self->deliver();
                                     });
  return mailbox;
}

void Mailbox::post(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  calls_.push_back(std::move(call));
  ::eventfd_write(event_.get(), 1);
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  calls_.clear();
  supervisor_.unwatch(token_);
}

void Mailbox::deliver() {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    eventfd_t count = 0;
    ::eventfd_read(event_.get(), &count);
    calls.swap(calls_);
  }
  for (const auto& call : calls) call();
}

}  // namespace cellblock::in_process

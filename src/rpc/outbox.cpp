#include "rpc/outbox.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

namespace cellblock::rpc {

Outbox::Outbox(base::UniqueFd fd, std::function<void()> on_broken)
    : fd_(std::move(fd)),
      stop_fd_(::eventfd(0, EFD_CLOEXEC)),
      on_broken_(std::move(on_broken)),
      writer_([this] { write_lines(); }) {}

Outbox::~Outbox() {
  stop();
  writer_.join();
}

void Outbox::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  ::eventfd_write(stop_fd_.get(), 1);
  queued_.notify_all();
  written_.notify_all();
}

void Outbox::send(std::string line, std::shared_ptr<const void> held) {
  std::unique_lock lock(mutex_);
  enqueue(lock, {std::move(line), nullptr, std::move(held)});
}

void Outbox::send(std::string line, const std::shared_ptr<Allowance>& allowance) {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [this, &allowance] {
    return stopped_ || broken_ || allowance->under_way < allowance->limit;
  });
  enqueue(lock, {std::move(line), allowance, nullptr});
}

void Outbox::enqueue(std::unique_lock<std::mutex>& lock, Line line) {
  if (stopped_ || broken_) return;
  line.text.push_back('\n');
  bytes_ += line.text.size();
  if (line.allowance) line.allowance->under_way += line.text.size();
  lines_.push_back(std::move(line));
  lock.unlock();
  queued_.notify_one();
}

bool Outbox::wait_until_below(std::size_t bytes, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return written_.wait_for(lock, limit, [this, bytes] { return broken_ || bytes_ <= bytes; });
}

bool Outbox::flush(std::chrono::milliseconds limit) {
  return wait_until_below(0, limit) && !broken_;
}

void Outbox::write_lines() {
  std::unique_lock lock(mutex_);
  while (true) {
    queued_.wait(lock, [this] { return stopped_ || !lines_.empty(); });
    if (stopped_) return;
    const Line line = std::move(lines_.front());
    lines_.pop_front();
    lock.unlock();
    const bool written = write_all(line.text);
    lock.lock();
    if (!written) return give_up(lock);
    bytes_ -= line.text.size();
    if (line.allowance) line.allowance->under_way -= line.text.size();
    written_.notify_all();
  }
}

void Outbox::give_up(std::unique_lock<std::mutex>& lock) {
  broken_ = true;
  lines_.clear();
  bytes_ = 0;
  const bool tell = !stopped_;
  lock.unlock();
  written_.notify_all();
  if (tell) on_broken_();
}

bool Outbox::write_all(std::string_view bytes) {
  std::array<pollfd, 2> waits = {pollfd{fd_.get(), POLLOUT, 0}, pollfd{stop_fd_.get(), POLLIN, 0}};
  while (!bytes.empty()) {
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (waits[1].revents != 0) return false;
    // The descriptor may be shared and must stay a blocking one; a piece of this size never blocks
    // after poll has said that there is room.
    const ssize_t count =
        ::write(fd_.get(), bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (count < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace cellblock::rpc

#include "rpc/workers.hpp"

#include <system_error>
#include <utility>

namespace cellblock::rpc {

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

std::size_t Workers::room() const {
  const std::lock_guard lock(mutex_);
  return limit_ - busy_;
}

bool Workers::run(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (busy_ >= limit_) return false;
    if (busy_ == threads_.size()) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        return false;
      }
    }
    ++busy_;
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

bool Workers::wait_until_idle(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, limit, [this] { return busy_ == 0; });
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    if (--busy_ == 0) idle_.notify_all();
  }
}

}  // namespace cellblock::rpc

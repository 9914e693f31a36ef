#include "rpc/answer_room.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace cellblock::rpc {

struct AnswerRoom::State {
  explicit State(std::size_t given) : limit(given) {}

  [[nodiscard]] bool fits(std::size_t bytes) const {
    return used == 0 || (bytes <= limit && used <= limit - bytes);
  }

  const std::size_t limit;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t used = 0;
  std::uint64_t row_begin = 0;  // who is the next to get room
  std::uint64_t row_end = 0;
  bool closed = false;
};

AnswerRoom::Share::Share(std::shared_ptr<State> state, std::size_t bytes)
    : state_(std::move(state)), bytes_(bytes) {}

AnswerRoom::Share::~Share() { resize(0); }

void AnswerRoom::Share::resize(std::size_t bytes) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->used = state_->used - bytes_ + bytes;
    bytes_ = bytes;
  }
  state_->changed.notify_all();
}

AnswerRoom::AnswerRoom(std::size_t limit) : state_(std::make_shared<State>(limit)) {}

AnswerRoom::Held AnswerRoom::reserve(std::size_t bytes, WhenFull when_full) {
  if (bytes > kSmall && when_full == WhenFull::wait) return wait(bytes);
  const std::lock_guard lock(state_->mutex);
  const bool is_taken = bytes <= kSmall || (!state_->closed && state_->fits(bytes));
  return is_taken ? add(bytes) : nullptr;
}

AnswerRoom::Held AnswerRoom::settle(Held reserved, std::size_t bytes, WhenFull when_full) {
  if (reserved) {
    reserved->resize(bytes);
    return reserved;
  }
  if (bytes > kSmall && when_full == WhenFull::wait) return wait(bytes);
  const std::lock_guard lock(state_->mutex);
  return add(bytes);
}

void AnswerRoom::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->changed.notify_all();
}

AnswerRoom::Held AnswerRoom::wait(std::size_t bytes) {
  std::unique_lock lock(state_->mutex);
  const std::uint64_t place = state_->row_end++;
  state_->changed.wait(
      lock, [&] { return state_->closed || (state_->row_begin == place && state_->fits(bytes)); });
  if (state_->closed) return nullptr;
  ++state_->row_begin;
  Held share = add(bytes);
  lock.unlock();
  state_->changed.notify_all();
  return share;
}

/// With the lock.
AnswerRoom::Held AnswerRoom::add(std::size_t bytes) {
  Held share(new Share(state_, bytes));
  state_->used += bytes;
  return share;
}

}  // namespace cellblock::rpc

#include "mcp/live_call.hpp"

#include <utility>

namespace cellblock::mcp {

void LiveCall::cancel() {
  bool finishes = false;
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_ || finished_) return;
    cancelled_ = true;
    finishes = stays_open_;
  }
  stop();
  // Nobody works on it.
  if (finishes) finish({});
}

bool LiveCall::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void LiveCall::on_cancel(std::function<void()> stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!cancelled_) {
      stop_ = std::move(stop);
      return;
    }
  }
  stop();
}

void LiveCall::stop() {
  std::function<void()> stop;
  {
    const std::lock_guard lock(mutex_);
    stop = std::exchange(stop_, nullptr);
  }
  if (stop) stop();
}

void LiveCall::on_unanswered(std::function<void()> undo) {
  const std::lock_guard lock(mutex_);
  undo_ = std::move(undo);
}

void LiveCall::stay_open(Answer last) {
  bool finishes = false;
  {
    const std::lock_guard lock(mutex_);
    stays_open_ = true;
    last_ = std::move(last);
    finishes = cancelled_;
  }
  if (finishes) finish({});
}

void LiveCall::end() {
  Answer last;
  {
    const std::lock_guard lock(mutex_);
    if (stays_open_) last = last_;
  }
  last.text.empty() ? cancel() : finish(std::move(last));
}

void LiveCall::notify(const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_ || finished_) return;
  }
  reply_->notify(text);
}

rpc::AnswerRoom::WhenFull LiveCall::when_full() const {
  return reply_->may_wait() ? rpc::AnswerRoom::WhenFull::wait : rpc::AnswerRoom::WhenFull::refuse;
}

bool LiveCall::make_room(std::size_t bytes) {
  auto held = room_.reserve(bytes * rpc::AnswerRoom::kBytesPerByte, when_full());
  const std::lock_guard lock(mutex_);
  held_ = std::move(held);
  return held_ != nullptr;
}

void LiveCall::finish(Answer answer) {
  rpc::AnswerRoom::Held reserved;
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    reserved = std::exchange(held_, nullptr);
  }
  answer.held = room_.settle(std::move(reserved), answer.text.size(), when_full());
  std::function<void()> undo;
  std::function<void()> on_finished;
  bool is_unanswered = false;
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    stop_ = nullptr;
    undo = std::exchange(undo_, nullptr);
    is_unanswered = cancelled_;
    if (is_unanswered) answer = {};
    on_finished = std::exchange(on_finished_, nullptr);
  }
  if (is_unanswered && undo) undo();
  if (on_finished) on_finished();
  reply_->finish(answer);
}

}  // namespace cellblock::mcp

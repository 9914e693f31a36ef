#include "http/answer.hpp"

#include <algorithm>
#include <utility>

namespace cellblock::http {

Answer::Answer(Request request, const Limits& limits, After after, std::function<void()> wake)
    : request_(std::move(request)),
      max_queued_(limits.max_queued),
      after_(after),
      wake_(std::move(wake)) {}

std::shared_ptr<Exchange> Answer::handle(const std::shared_ptr<Answer>& answer) {
  return {answer.get(), [answer](Exchange*) { answer->abandon(); }};
}

std::string Answer::take_body() {
  const std::lock_guard lock(mutex_);
  return std::exchange(request_.body, {});
}

void Answer::respond(const Response& response) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::waiting) return;
  state_ = State::complete;
  add(to_bytes(response, after_));
}

void Answer::open_stream(const Headers& headers) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::waiting) return;
  state_ = State::streaming;
  add(stream_head(headers));
}

bool Answer::send_event(std::string_view data) {
  const std::string chunk = event_chunk(data);
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return state_ != State::streaming || waiting_bytes() < max_queued_; });
  if (state_ != State::streaming) return false;
  add(chunk);
  return true;
}

void Answer::end_stream() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::streaming) return;
  state_ = State::complete;
  add(last_chunk());
}

void Answer::hold(std::shared_ptr<const void> held) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::over && state_ != State::gone) held_ = std::move(held);
}

void Answer::on_gone(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    // What is replaced or not wanted ends outside the lock, with the parameter.
    if (state_ == State::over) return;
    if (state_ != State::gone) return call.swap(on_gone_);
  }
  call();
}

void Answer::abandon() {
  respond(http::refusal(500, "The request failed inside Cellblock."));
  const std::lock_guard lock(mutex_);
  if (state_ != State::streaming) return;
  // Without a last chunk the client sees that something is missing.
  state_ = State::complete;
  after_ = After::close;
  add({});
}

void Answer::add(std::string_view bytes) {
  queued_.append(bytes);
  if (wake_) wake_();
}

Answer::Piece Answer::take(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  Piece piece{.bytes = queued_.substr(taken_, limit), .after = after_};
  taken_ += piece.bytes.size();
  under_way_ += piece.bytes.size();
  if (taken_ == queued_.size()) {
    piece.last = state_ == State::complete;
    queued_ = {};
    taken_ = 0;
  } else if (taken_ > queued_.size() / 2) {
    queued_.erase(0, taken_);
    taken_ = 0;
  }
  return piece;
}

void Answer::written(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    under_way_ -= bytes;
  }
  room_.notify_all();
}

void Answer::keep_alive() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::streaming && waiting_bytes() == 0) add(comment_chunk());
}

void Answer::gone() {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    state_ = State::gone;
    queued_ = {};
    taken_ = 0;
    wake_ = nullptr;
    held_ = nullptr;
    call.swap(on_gone_);
  }
  room_.notify_all();
  if (call) call();
}

void Answer::over() {
  std::function<void()> dropped;
  const std::lock_guard lock(mutex_);
  state_ = State::over;
  wake_ = nullptr;
  held_ = nullptr;
  dropped.swap(on_gone_);
}

}  // namespace cellblock::http

// How a session ends: it is closed, or its time is over.
#include <algorithm>
#include <utility>

#include "host/fork_executor.hpp"
#include "host/fork_session.hpp"
#include "host/hints.hpp"

namespace cellblock::host {

void ForkSession::close() {
  std::unique_lock lock(mutex_);
  if (!closed_) end(std::move(lock), EndReason::closed);
}

Clock::time_point ForkSession::expire(Clock::time_point now) {
  std::unique_lock lock(mutex_);
  if (closed_) return Clock::time_point::max();
  const bool is_idle = phase_ != Phase::forking && !active_ && queue_.empty();
  const auto end_of_life = opened_ + policy_.session_ttl;
  const auto end_of_idling = (is_idle ? idle_since_ : now) + policy_.idle_ttl;
  const auto due = std::min(end_of_life, end_of_idling);
  if (now < due) return due;
  end(std::move(lock), due == end_of_life ? EndReason::session_ttl : EndReason::idle_ttl);
  return Clock::time_point::max();
}

void ForkSession::end(std::unique_lock<std::mutex> lock, EndReason why) {
  closed_ = true;
  end_reason_ = why;
  const auto reason = why == EndReason::closed ? StopReason::caller : StopReason::lifetime;
  std::deque<std::shared_ptr<Request>> waiting;
  waiting.swap(queue_);
  if (process_ && phase_ == Phase::ready) {
    const auto target = process_->target();
    if (active_ && !active_settled_) {
      target->kill(active_id_, reason);
    } else {
      // atexit functions have the grace.
      const std::uint64_t request = next_request_++;
      target->begin(request);
      process_->send(protocol::FrameType::shutdown_request, request, {});
      executor_.watchdog().watch(
          Clock::now() + policy_.grace,
          {.target = target, .request = request, .grace = {}, .reason = reason});
    }
  } else if (process_) {
    process_->kill();
  }
  const Error told = closed_error();
  lock.unlock();
  for (const auto& request : waiting) request->on_cancelled(told);
  retire();
}

/// Once closed, with no process and no request left: leaves the cage.
void ForkSession::retire() {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_ || retired_ || phase_ != Phase::none || active_) return;
    retired_ = true;
  }
  {
    const std::lock_guard lock(kept_mutex_);
    kept_.clear();
  }
  executor_.retire(*this, cage_->detach());
}

bool ForkSession::closing() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::optional<Error> ForkSession::ended() const {
  const std::lock_guard lock(mutex_);
  return closed_ ? std::optional(closed_error()) : std::nullopt;
}

std::optional<EndReason> ForkSession::end_reason() const {
  const std::lock_guard lock(mutex_);
  return closed_ ? std::optional(end_reason_) : std::nullopt;
}

/// Under the lock.
Error ForkSession::closed_error() const {
  switch (end_reason_) {
    case EndReason::session_ttl:
      return {ErrorKind::expired, "The session's lifetime of " +
                                      format_seconds(policy_.session_ttl) +
                                      " (session_ttl_s) is over: open a new session."};
    case EndReason::idle_ttl:
      return {ErrorKind::expired, "The session was not used for " +
                                      format_seconds(policy_.idle_ttl) +
                                      " (idle_ttl_s) and was ended: open a new session."};
    case EndReason::closed:
      break;
  }
  return {ErrorKind::unknown_session, "The session was closed; open a new one."};
}

/// For a call that waits for nothing: an error once the session has ended; else it counts as use.
std::optional<Error> ForkSession::use() {
  const std::lock_guard lock(mutex_);
  if (closed_) return closed_error();
  idle_since_ = Clock::now();
  return std::nullopt;
}

IsolationReport ForkSession::isolation() const {
  const std::lock_guard lock(mutex_);
  return isolation_;
}

std::chrono::microseconds ForkSession::start_time() const {
  const std::lock_guard lock(mutex_);
  return start_time_;
}

}  // namespace cellblock::host

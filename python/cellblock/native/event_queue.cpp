#include "event_queue.hpp"

#include <utility>

namespace cellblock::sdk {
namespace {

constexpr std::size_t kMostBytes = 1U << 20;

}  // namespace

RunCallbacks EventQueue::callbacks(std::shared_ptr<EventQueue> queue, const Wanted& wanted) {
  RunCallbacks callbacks;
  if (wanted.out) {
    callbacks.on_stdout = [queue](std::string_view text) {
      queue->put({.kind = Event::Kind::out, .text = std::string(text)});
    };
  }
  if (wanted.err) {
    callbacks.on_stderr = [queue](std::string_view text) {
      queue->put({.kind = Event::Kind::err, .text = std::string(text)});
    };
  }
  if (wanted.results) {
    callbacks.on_display = [queue](const DisplayData& data) {
      queue->put({.kind = Event::Kind::result, .text = data.to_json()});
    };
  }
  if (wanted.queued) {
    callbacks.on_queued = [queue](std::size_t position) {
      queue->put({.kind = Event::Kind::queued, .text = {}, .position = position});
    };
  }
  callbacks.on_done = [queue = std::move(queue)] { queue->finish(); };
  return callbacks;
}

void EventQueue::put(Event event) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return bytes_ <= kMostBytes || abandoned_; });
  if (abandoned_) return;
  bytes_ += event.text.size();
  const bool is_text = event.kind == Event::Kind::out || event.kind == Event::Kind::err;
  if (is_text && !events_.empty() && events_.back().kind == event.kind) {
    events_.back().text += event.text;
  } else {
    events_.push_back(std::move(event));
  }
  wake_up_.signal();
}

void EventQueue::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  wake_up_.signal();
}

EventQueue::Taken EventQueue::take() {
  const std::lock_guard lock(mutex_);
  bytes_ = 0;
  taken_.notify_all();
  if (!finished_) wake_up_.clear();
  return {.events = std::exchange(events_, {}), .finished = finished_};
}

void EventQueue::abandon() {
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  events_.clear();
  taken_.notify_all();
}

}  // namespace cellblock::sdk

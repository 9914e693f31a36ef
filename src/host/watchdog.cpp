#include "host/watchdog.hpp"

#include <algorithm>
#include <utility>

namespace cellblock::host {
namespace {

constexpr std::chrono::hours kLongestSleep{1};
// A busy machine may let it wait for a processor.
constexpr std::chrono::milliseconds kTimeForStack{250};

}  // namespace

Watchdog::Watchdog() : thread_([this] { loop(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Watchdog::Ticket Watchdog::watch(Clock::time_point deadline, Watch watch) {
  const std::lock_guard lock(mutex_);
  const Ticket ticket = next_ticket_++;
  schedule(deadline, ticket, Alarm{std::move(watch), deadline});
  return ticket;
}

void Watchdog::unwatch(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = when_.find(ticket);
  if (found == when_.end()) return;
  alarms_.erase({found->second, ticket});
  when_.erase(found);
}

void Watchdog::schedule(Clock::time_point when, Ticket ticket, Alarm alarm) {
  alarms_.emplace(Key{when, ticket}, std::move(alarm));
  when_[ticket] = when;
  // It wakes by itself early enough for all others; to be woken for each would cost every execution
  // a switch of threads.
  if (when < sleeping_until_) changed_.notify_one();
}

void Watchdog::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (alarms_.empty() || Clock::now() < alarms_.begin()->first.first) {
      sleeping_until_ =
          alarms_.empty() ? Clock::now() + kLongestSleep : alarms_.begin()->first.first;
      changed_.wait_until(lock, sleeping_until_);
      sleeping_until_ = {};
      continue;
    }
    const Key first = alarms_.begin()->first;
    Alarm alarm = std::move(alarms_.begin()->second);
    alarms_.erase(alarms_.begin());
    when_.erase(first.second);
    fire(first, std::move(alarm));
  }
}

void Watchdog::fire(Key key, Alarm alarm) {
  const Watch& watch = alarm.watch;
  if (alarm.rung == 0 && watch.look_again) {
    if (const auto later = watch.look_again()) {
      alarm.deadline = *later;
      schedule(*later, key.second, std::move(alarm));
      return;
    }
    // Asked late, the ladder still has its whole grace.
    alarm.deadline = Clock::now();
  }
  const auto grace_end = alarm.deadline + watch.grace;
  const auto half_grace = alarm.deadline + watch.grace / 2;
  const auto time_for_stack = std::min<Clock::duration>(watch.grace / 4, kTimeForStack);
  Clock::time_point next;
  switch (alarm.rung++) {
    case 0:
      if (!watch.target->interrupt(watch.request, watch.reason)) return;
      next = half_grace;
      break;
    case 1:
      if (!watch.target->interrupt(watch.request, watch.reason)) return;
      next = grace_end - time_for_stack;
      break;
    case 2:
      if (!watch.target->ask_for_stack(watch.request)) return;
      next = grace_end;
      break;
    default:
      watch.target->kill(watch.request, watch.reason);
      return;
  }
  schedule(next, key.second, std::move(alarm));
}

}  // namespace cellblock::host

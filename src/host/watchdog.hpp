// The watchdog: one thread that does nothing but deadlines and kills, so that neither I/O nor
// logging can delay a kill.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "host/kill_target.hpp"

namespace cellblock::host {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: nobody can set it

/// The ladder for each watched request: SIGINT at the deadline, again at half the grace, shortly
/// before its end the wish for the Python stack, and then SIGKILL of the whole session.
/// Thread-safe.
class Watchdog final {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  struct Watch {
    std::shared_ptr<KillTarget> target;
    std::uint64_t request = 0;
    std::chrono::milliseconds grace{};
    StopReason reason = StopReason::deadline;
    /// Empty: the ladder begins at the deadline. Else it is asked then, under the watchdog's lock:
    /// a time puts the deadline off, nothing begins the ladder. Must not block.
    std::function<std::optional<Clock::time_point>()> look_again;
  };

  /// Identifies a watch until it is taken back; a ladder that has ended needs no unwatch.
  using Ticket = std::uint64_t;
  Ticket watch(Clock::time_point deadline, Watch watch);
  void unwatch(Ticket ticket);

 private:
  struct Alarm {
    Watch watch;
    Clock::time_point deadline;
    int rung = 0;
  };
  using Key = std::pair<Clock::time_point, Ticket>;

  void loop();
  void fire(Key key, Alarm alarm);
  void schedule(Clock::time_point when, Ticket ticket, Alarm alarm);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, Alarm> alarms_;
  std::map<Ticket, Clock::time_point> when_;
  Ticket next_ticket_ = 1;
  /// Until when the thread sleeps if nobody wakes it; the epoch while it is awake, when it looks
  /// at the alarms anyway.
  Clock::time_point sleeping_until_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cellblock::host

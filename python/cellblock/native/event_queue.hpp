// The events of one execution, on their way from the library's thread to one of Python's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "cellblock/session.hpp"
#include "wake_up.hpp"

namespace cellblock::sdk {

/// Thread-safe. The library's thread waits while more than a megabyte has not been taken: the rest
/// waits where the library bounds it.
class EventQueue final {
 public:
  struct Event {
    enum class Kind { out, err, result, queued };
    Kind kind;
    std::string text;  ///< of a result its JSON form
    std::size_t position = 0;
  };
  struct Taken {
    std::deque<Event> events;
    bool finished = false;  ///< nothing more comes
  };

  /// Callbacks that put the chosen events here, for as long as they are kept, and the end always.
  struct Wanted {
    bool out = false;
    bool err = false;
    bool results = false;
    bool queued = false;
  };
  static RunCallbacks callbacks(std::shared_ptr<EventQueue> queue, const Wanted& wanted);

  /// Everything that is there; does not wait.
  Taken take();
  /// Nobody takes any more: what comes is dropped.
  void abandon();
  /// Signalled while there is something to take, or it is finished.
  [[nodiscard]] const WakeUp& wake_up() const { return wake_up_; }

 private:
  void put(Event event);
  void finish();

  std::mutex mutex_;
  std::condition_variable taken_;
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  bool finished_ = false;
  bool abandoned_ = false;
  WakeUp wake_up_;
};

}  // namespace cellblock::sdk

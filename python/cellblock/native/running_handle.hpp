// An execution that was started, as Python holds it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "event_queue.hpp"
#include "session_handle.hpp"

namespace cellblock::sdk {

/// Thread-safe. Ended, it leaves the execution alone and drops its events.
class RunningHandle final {
 public:
  RunningHandle(const SessionHandle& session, const std::string& code, const RunOptions& options,
                const EventQueue::Wanted& wanted);
  ~RunningHandle();
  RunningHandle(const RunningHandle&) = delete;
  RunningHandle& operator=(const RunningHandle&) = delete;

  [[nodiscard]] const std::string& execution_id() const { return execution_id_; }
  [[nodiscard]] EventQueue::Taken take();
  /// Waits until there is something to take; false: not within the limit. Hears signals.
  [[nodiscard]] bool wait(std::optional<std::chrono::nanoseconds> limit) const;
  /// Readable while there is something to take.
  [[nodiscard]] int fd() const;
  [[nodiscard]] bool done() const;
  /// Waits, at most until the run ends.
  [[nodiscard]] std::shared_ptr<ExecutionResult> result() const;
  void interrupt();
  /// No events are wanted any more but the end.
  void drop_events() { queue_->abandon(); }

 private:
  const std::uint64_t process_ = process_number();
  std::shared_ptr<EventQueue> queue_ = std::make_shared<EventQueue>();
  std::shared_ptr<RunningExecution> running_;
  std::string execution_id_;
};

}  // namespace cellblock::sdk

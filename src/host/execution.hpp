// One execution of code: what it wrote and showed, and how it ended.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/utf8.hpp"
#include "cellblock/session.hpp"
#include "host/output_capture.hpp"
#include "host/request.hpp"
#include "host/watchdog.hpp"

namespace cellblock::host {

class SessionProcess;

/// What the supervisor knows when an execution is over; the rest is assembled from it.
struct Outcome {
  enum class Kind { replied, process_ended, cancelled };
  Kind kind = Kind::cancelled;
  protocol::Frame reply;
  ProcessEnd end;
  std::optional<Error> why;  ///< cancelled: by the session's end
  Stop stop;
  Clock::time_point when;
};

/// One driver thread (the caller of Session::run, or a thread of its own) delivers its events and
/// concludes it. While it waits it reads the session's channel itself; the supervisor reads the
/// pipes, so that a session is drained even while a callback is slow.
class Execution final : public Request {
 public:
  Execution(std::string code, const RunOptions& options, RunCallbacks callbacks,
            const SecurityPolicy& policy);

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  /// Nothing: no limit.
  [[nodiscard]] std::optional<std::chrono::microseconds> cpu_limit() const { return cpu_limit_; }
  [[nodiscard]] bool timeout_clamped() const { return timeout_clamped_; }
  /// The policy's; timeout() may be less.
  [[nodiscard]] std::chrono::milliseconds longest_timeout() const { return longest_timeout_; }

  // Set by the session when the execution is sent, before anything is written.
  void set_count(std::uint64_t count);
  /// Before set_count: what a dead predecessor had imported, to be imported again.
  void set_imports(std::vector<std::string> imports) { imports_ = std::move(imports); }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The names that a dead predecessor took with it.
  void set_lost_before(std::vector<std::string> names) { lost_before_ = std::move(names); }
  [[nodiscard]] const std::optional<std::vector<std::string>>& lost_before() const {
    return lost_before_;
  }
  void set_late(std::string out, std::string err) {
    late_out_ = std::move(out);
    late_err_ = std::move(err);
  }
  /// It is sent to this process now.
  void set_started(Clock::time_point when, std::shared_ptr<SessionProcess> process);
  [[nodiscard]] Clock::time_point started() const { return started_; }

  void on_output(OutputStream stream, std::string_view bytes);
  /// More than the policy's max_result_bytes, kept or waiting for the callback, is dropped and
  /// counted.
  void on_display(DisplayData data);
  void on_reply(protocol::Frame frame, Stop stop) override;
  void on_process_end(const ProcessEnd& end, Stop stop) override;
  void on_cancelled(const std::optional<Error>& why) override;
  void on_queued(std::size_t position) override;

  /// Driver: blocks until the outcome is there and every callback has returned.
  const Outcome& deliver_events();
  // Driver, after deliver_events():
  [[nodiscard]] OutputCapture& out() { return out_; }
  [[nodiscard]] OutputCapture& err() { return err_; }
  [[nodiscard]] std::vector<DisplayData>& displays() { return displays_; }
  [[nodiscard]] std::uint64_t dropped_displays() const { return dropped_displays_; }
  [[nodiscard]] const std::string& late_out() const { return late_out_; }
  [[nodiscard]] const std::string& late_err() const { return late_err_; }
  /// Driver: gives the result to everyone who waits.
  void finish(ExecutionResult result);

  [[nodiscard]] bool done() const;
  [[nodiscard]] ExecutionResult wait();
  [[nodiscard]] std::optional<ExecutionResult> wait_for(std::chrono::milliseconds limit);

 private:
  struct Event {
    enum class Kind { out, err, display, queued };
    Kind kind;
    std::string text;
    DisplayData data;
    std::size_t position = 0;
  };

  void push(Event event);
  /// Under the lock. False: it does not fit.
  bool keep(DisplayData data, Bytes size);
  void notify();
  void wait_for_more(std::unique_lock<std::mutex>& lock);
  void deliver(const Event& event);
  void settle(Outcome outcome);
  [[nodiscard]] bool streams(OutputStream stream) const;

  const std::string id_;
  const std::string code_;
  const RunOptions options_;
  const RunCallbacks callbacks_;
  const Bytes max_result_bytes_;
  const Bytes max_streamed_bytes_;
  const std::optional<std::chrono::microseconds> cpu_limit_;
  const std::chrono::milliseconds longest_timeout_;
  const bool timeout_clamped_;
  std::uint64_t count_ = 0;
  std::vector<std::string> imports_;
  std::optional<std::vector<std::string>> lost_before_;
  std::string late_out_;
  std::string late_err_;
  Clock::time_point started_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<SessionProcess> process_;  // while it runs there
  bool polling_ = false;  // the driver waits at the process's channel, so it must be woken
  std::thread::id poller_;
  std::deque<Event> events_;
  OutputCapture out_;
  OutputCapture err_;
  Bytes streamed_bytes_ = 0;
  std::vector<DisplayData> displays_;
  Bytes display_bytes_ = 0;          // of displays_
  Bytes waiting_display_bytes_ = 0;  // of events_
  std::uint64_t dropped_displays_ = 0;
  std::optional<Outcome> outcome_;
  std::optional<ExecutionResult> result_;

  // Only the driver:
  base::Utf8Stream out_text_;
  base::Utf8Stream err_text_;
};

}  // namespace cellblock::host

// A session over forked processes: its queue of requests, and the process that lives now. The
// session id outlives its processes; its cage may be shared with other sessions.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cellblock/session.hpp"
#include "host/execution.hpp"
#include "host/session_cage.hpp"
#include "host/session_process.hpp"

namespace cellblock::host {

class ForkExecutor;

/// Thread-safe. The executor outlives it: it waits for the end of its sessions.
class ForkSession final : public ProcessListener, public std::enable_shared_from_this<ForkSession> {
 public:
  /// Already attached to the cage.
  ForkSession(ForkExecutor& executor, std::shared_ptr<SessionCage> cage);
  ~ForkSession() override;

  /// Blocks until the first process is ready.
  Expected<void> open();

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const SecurityPolicy& policy() const { return policy_; }
  [[nodiscard]] const std::shared_ptr<SessionCage>& cage() const { return cage_; }
  /// To be held while a caller waits (see SourceKind); the executor may be gone by then.
  [[nodiscard]] std::shared_ptr<void> step_out() const { return step_out_(); }
  [[nodiscard]] IsolationReport isolation() const;
  [[nodiscard]] std::chrono::microseconds start_time() const;

  ExecutionResult run(std::string_view code, const RunOptions& options,
                      const RunCallbacks& callbacks);
  std::shared_ptr<Execution> start(std::string_view code, const RunOptions& options,
                                   RunCallbacks callbacks);
  void interrupt();
  void interrupt(Execution& execution);
  Expected<void> reset();
  Expected<std::vector<Variable>> variables();
  Expected<Completion> complete(std::string_view code, std::size_t cursor);
  Expected<Inspection> inspect(std::string_view code, std::size_t cursor);
  Expected<Completeness> is_complete(std::string_view code);
  Expected<OutputPage> output(const OutputQuery& query);
  Expected<std::string> upload(std::string_view path, std::string_view data, Workspace::Write mode);
  Expected<std::string> download(std::string_view path, Bytes offset, std::optional<Bytes> limit);
  Expected<std::vector<FileInfo>> files();
  Expected<FileInfo> stat(std::string_view path);
  /// Asks the process to end within the grace, then ends it. Does not block.
  void close();
  [[nodiscard]] bool closing() const;
  /// Ends it if it is older than session_ttl, or has been idle for idle_ttl, and says when to ask
  /// again. Does not block.
  Clock::time_point expire(Clock::time_point now);
  /// Why no call is taken any more (expired, unknown_session); nothing: it is open.
  [[nodiscard]] std::optional<Error> ended() const;
  [[nodiscard]] std::optional<EndReason> end_reason() const;

  void on_ready(SessionProcess& process, const protocol::SessionReady& ready) override;
  void on_output(OutputStream stream, std::string_view bytes) override;
  void on_frame(SessionProcess& process, protocol::Frame frame) override;
  void on_ended(SessionProcess& process, const ProcessEnd& end) override;

 private:
  enum class Phase { none, forking, ready };

  struct KeptOutput {
    std::string execution_id;
    std::shared_ptr<const OutputCapture> out;
    std::shared_ptr<const OutputCapture> err;
  };

  std::shared_ptr<Execution> enqueue(std::string_view code, const RunOptions& options,
                                     RunCallbacks callbacks);
  ExecutionResult drive(const std::shared_ptr<Execution>& execution);
  ExecutionResult conclude(Execution& execution, const Outcome& outcome);
  void keep_output(Execution& execution);

  Expected<protocol::Frame> ask(protocol::FrameType type, std::string body);
  /// Error kinds: too_large, and as `ask`.
  Expected<protocol::Frame> ask_about(protocol::FrameType type, std::string_view code,
                                      std::size_t cursor);
  void submit(const std::shared_ptr<Request>& request);
  void pump();
  void start_process();
  void fail_to_start(const Error& error);
  void become_ready(const std::shared_ptr<SessionProcess>& process,
                    const protocol::SessionReady& ready, std::uint64_t attempt);
  bool start_in_another_cage();
  Expected<std::shared_ptr<SessionCgroup>> take_cgroup(const protocol::ForkRequest& request);
  void watch_cpu_time(const Execution& execution);
  void dispatch();
  void interrupt_active();
  void process_ended(ProcessEnd end, const std::shared_ptr<KillTarget>& target);
  void unwatch_active();
  void release(const Request& request);
  void end_process();
  std::optional<Error> use();
  void end(std::unique_lock<std::mutex> lock, EndReason why);
  void retire();
  Error closed_error() const;

  ForkExecutor& executor_;
  const std::function<std::shared_ptr<void>()> step_out_;
  const std::string id_;
  const std::shared_ptr<SessionCage> cage_;
  const SecurityPolicy& policy_;  // the cage's
  const std::shared_ptr<SharedWorkspace::Reader> changes_;
  const Clock::time_point opened_ = Clock::now();

  mutable std::mutex mutex_;
  std::condition_variable settled_;  // the phase left `forking`
  Phase phase_ = Phase::none;
  bool closed_ = false;
  bool retired_ = false;
  EndReason end_reason_ = EndReason::closed;  // once closed
  Clock::time_point idle_since_ = opened_;
  bool ending_ = false;  // the process was told to end, and its result has told what is lost
  std::optional<Error> start_error_;
  std::string start_problem_;  // why this side ended a process that was starting
  std::uint64_t attempt_ = 0;  // counts the processes
  std::chrono::microseconds start_time_{0};
  IsolationReport isolation_;
  std::shared_ptr<SessionProcess> process_;
  std::shared_ptr<LiveCage> entered_;  // by the process, or the one that is being made
  bool founds_ = false;                // that process founds it
  std::deque<std::shared_ptr<Request>> queue_;
  std::shared_ptr<Request> active_;
  std::uint64_t active_id_ = 0;
  bool active_settled_ = false;
  Watchdog::Ticket active_watch_ = 0;
  Watchdog::Ticket active_cpu_watch_ = 0;
  Watchdog::Ticket fork_watch_ = 0;
  std::uint64_t next_request_ = 1;
  std::uint64_t execution_count_ = 0;
  std::vector<Variable> variables_;        // of the last reply that had any
  std::vector<std::string> names_;         // theirs
  std::vector<std::string> names_at_end_;  // of the process that died under an execution
  std::optional<std::vector<std::string>> lost_;
  std::vector<std::string> imports_;  // statements of the last reply, where the policy wants them
  bool imports_are_due_ = false;      // the process has not made them

  std::mutex output_mutex_;
  Execution* writing_ = nullptr;  // who gets what comes out of the pipes; null: it is late
  OutputCapture late_out_;
  OutputCapture late_err_;

  std::mutex kept_mutex_;
  std::deque<KeptOutput> kept_;
};

}  // namespace cellblock::host

#include "host/fork_session.hpp"

#include <algorithm>
#include <utility>

#include "base/random_id.hpp"
#include "cellblock/code.hpp"
#include "host/fork_executor.hpp"
#include "host/result_assembler.hpp"

namespace cellblock::host {
namespace {

using protocol::FrameType;

std::string why_not_started(const ProcessEnd& end) {
  if (!end.message.empty()) return end.message;
  if (end.out_of_memory) {
    return "The session needs more memory to start than the policy gives: raise max_memory_bytes.";
  }
  return "The session's process ended before it was ready (" +
         describe_wait_status(end.wait_status) +
         "): raise the policy's limits, or open another session.";
}

}  // namespace

ForkSession::ForkSession(ForkExecutor& executor, std::shared_ptr<SessionCage> cage)
    : executor_(executor),
      step_out_(executor.kind().step_out),
      id_(base::random_id("s-")),
      cage_(std::move(cage)),
      policy_(cage_->policy()),
      changes_(cage_->workspace().add_reader()),
      late_out_(policy_.max_stdout_bytes, 0),
      late_err_(policy_.max_stderr_bytes, 0) {}

ForkSession::~ForkSession() = default;

// --- requests --------------------------------------------------------------------------------

void ForkSession::submit(const std::shared_ptr<Request>& request) {
  const auto refused = [&]() -> std::optional<Error> {
    const std::lock_guard lock(mutex_);
    if (closed_) return closed_error();
    const std::size_t before = queue_.size() + (active_ ? 1 : 0);
    if (before > 0) request->on_queued(before);
    queue_.push_back(request);
    return std::nullopt;
  }();
  if (refused) {
    request->on_cancelled(refused);
  } else {
    pump();
  }
}

void ForkSession::pump() {
  std::unique_lock lock(mutex_);
  // One that is being ended takes nothing more: its end comes back here.
  if (closed_ || ending_ || active_ || queue_.empty() || phase_ == Phase::forking) return;
  if (phase_ == Phase::none) {
    phase_ = Phase::forking;
    lock.unlock();
    start_process();
    return;
  }
  dispatch();
}

/// Sends the request at the head of the queue: the process is ready and idle. Under the lock.
void ForkSession::dispatch() {
  active_ = std::move(queue_.front());
  queue_.pop_front();
  active_id_ = next_request_++;
  active_settled_ = false;
  // What is in the pipes by now was written after the last execution ended.
  process_->read_output();
  if (auto* execution = dynamic_cast<Execution*>(active_.get())) {
    changes_->begin();
    if (imports_are_due_) execution->set_imports(imports_);
    execution->set_count(++execution_count_);
    if (lost_) execution->set_lost_before(*std::exchange(lost_, std::nullopt));
    const std::lock_guard lock(output_mutex_);
    execution->set_late(late_out_.text(), late_err_.text());
    late_out_ = OutputCapture(policy_.max_stdout_bytes, 0);
    late_err_ = OutputCapture(policy_.max_stderr_bytes, 0);
    writing_ = execution;
  }
  process_->start_counting();
  process_->target()->begin(active_id_);
  process_->send(active_->type(), active_id_, active_->body());
  const auto now = Clock::now();
  if (auto* execution = dynamic_cast<Execution*>(active_.get())) {
    execution->set_started(now, process_);
    watch_cpu_time(*execution);
  }
  active_watch_ = executor_.watchdog().watch(
      now + active_->timeout(),
      {.target = process_->target(), .request = active_id_, .grace = active_->grace()});
  for (std::size_t i = 0; i < queue_.size(); ++i) queue_[i]->on_queued(i + 1);
}

void ForkSession::on_output(OutputStream stream, std::string_view bytes) {
  const std::lock_guard lock(output_mutex_);
  if (writing_ != nullptr) {
    writing_->on_output(stream, bytes);
  } else {
    (stream == OutputStream::out ? late_out_ : late_err_).append(bytes);
  }
}

void ForkSession::on_frame(SessionProcess& process, protocol::Frame frame) {
  std::shared_ptr<Request> request;
  {
    const std::lock_guard lock(mutex_);
    if (frame.id == active_id_ && !active_settled_) request = active_;
  }
  if (!request) {
    // A display of a background thread after its cell has ended belongs to nothing.
    if (frame.type != FrameType::display_event) process.refuse();
    return;
  }
  if (frame.type == FrameType::display_event) {
    auto* execution = dynamic_cast<Execution*>(request.get());
    auto data = protocol::decode_display(frame.body, std::move(frame.attachments));
    if (execution == nullptr || !data) {
      process.refuse();
      return;
    }
    execution->on_display(*std::move(data));
    return;
  }
  if (frame.type != request->reply_type()) {
    process.refuse();
    return;
  }
  const Stop stop = process.target()->end(frame.id);
  {
    const std::lock_guard lock(mutex_);
    active_settled_ = true;
    unwatch_active();
    const std::lock_guard output_lock(output_mutex_);
    writing_ = nullptr;
  }
  const bool concluded_by_driver = dynamic_cast<Execution*>(request.get()) != nullptr;
  request->on_reply(std::move(frame), stop);
  if (!concluded_by_driver) release(*request);
}

void ForkSession::on_ended(SessionProcess& process, const ProcessEnd& end) {
  if (end.kind == ProcessEnd::Kind::cage_gone && start_in_another_cage()) return;
  process_ended(end, process.target());
}

void ForkSession::process_ended(ProcessEnd end, const std::shared_ptr<KillTarget>& target) {
  std::shared_ptr<Request> request;
  std::vector<std::shared_ptr<Request>> unstartable;
  std::shared_ptr<LiveCage> left;
  Stop stop;
  {
    const std::lock_guard lock(mutex_);
    left = std::exchange(entered_, nullptr);
    const bool was_starting = phase_ == Phase::forking;
    executor_.watchdog().unwatch(fork_watch_);
    phase_ = Phase::none;
    process_.reset();
    if (active_ && !active_settled_) {
      request = active_;
      active_settled_ = true;
      unwatch_active();
      if (target) stop = target->end(active_id_);
      names_at_end_ = std::move(names_);
    } else if (!was_starting && !ending_) {
      // It died between two executions; the next one tells it.
      lost_ = std::move(names_);
    }
    ending_ = false;
    imports_are_due_ = !imports_.empty();
    if (request && dynamic_cast<Execution*>(request.get()) == nullptr) {
      // A question tells nobody what was lost: the next execution does.
      lost_ = std::exchange(names_at_end_, {});
    }
    names_.clear();
    variables_.clear();
    if (was_starting) {
      names_at_end_.clear();
      if (!start_problem_.empty()) end.message = std::exchange(start_problem_, {});
      start_error_ = Error{ErrorKind::host_error, why_not_started(end)};
      // Nobody can start it now: each of them is told why, and the next one tries again.
      unstartable.assign(queue_.begin(), queue_.end());
      queue_.clear();
    }
    {
      const std::lock_guard output_lock(output_mutex_);
      writing_ = nullptr;
    }
    settled_.notify_all();
  }
  cage_->leave(left);
  for (const auto& waiting : unstartable) waiting->on_process_end(end, {});
  if (request) {
    const bool concluded_by_driver = dynamic_cast<Execution*>(request.get()) != nullptr;
    request->on_process_end(end, stop);
    if (!concluded_by_driver) release(*request);
  }
  retire();
  pump();
}

/// The request is over and done with: the next one's turn.
void ForkSession::release(const Request& request) {
  {
    const std::lock_guard lock(mutex_);
    if (active_.get() == &request) active_.reset();
    idle_since_ = Clock::now();
  }
  retire();
  pump();
}

// --- executions ------------------------------------------------------------------------------

std::shared_ptr<Execution> ForkSession::enqueue(std::string_view code, const RunOptions& options,
                                                RunCallbacks callbacks) {
  auto execution =
      std::make_shared<Execution>(std::string(code), options, std::move(callbacks), policy_);
  if (const auto problem = code_problem(code)) {
    execution->on_cancelled(problem);
  } else {
    submit(execution);
  }
  return execution;
}

ExecutionResult ForkSession::run(std::string_view code, const RunOptions& options,
                                 const RunCallbacks& callbacks) {
  return drive(enqueue(code, options, callbacks));
}

std::shared_ptr<Execution> ForkSession::start(std::string_view code, const RunOptions& options,
                                              RunCallbacks callbacks) {
  auto execution = enqueue(code, options, std::move(callbacks));
  executor_.run_driver(
      [self = shared_from_this(), execution] { execution->finish(self->drive(execution)); });
  return execution;
}

ExecutionResult ForkSession::drive(const std::shared_ptr<Execution>& execution) {
  const Outcome& outcome = execution->deliver_events();
  ExecutionResult result = conclude(*execution, outcome);
  executor_.audit(*execution, result);
  keep_output(*execution);
  release(*execution);
  return result;
}

ExecutionResult ForkSession::conclude(Execution& execution, const Outcome& outcome) {
  SessionView view{.session_id = id_, .isolation = isolation()};
  if (outcome.kind != Outcome::Kind::cancelled) {
    view.files = cage_->workspace().take_changes(*changes_);
  }
  {
    const std::lock_guard lock(mutex_);
    if (outcome.kind == Outcome::Kind::process_ended) view.names = names_at_end_;
    if (outcome.kind == Outcome::Kind::replied) view.variables = variables_;
    view.max_memory_bytes = policy_.max_memory_bytes;
    view.ends_threads = policy_.background == BackgroundThreads::end;
    view.ended = closed_ ? std::optional(closed_error()) : std::nullopt;
    if (outcome.kind == Outcome::Kind::replied && process_) {
      view.peak_memory_bytes = process_->peak_memory_bytes();
    }
  }
  Assembled assembled = assemble(execution, outcome, std::move(view));
  const std::lock_guard lock(mutex_);
  if (outcome.kind == Outcome::Kind::replied) {
    if (assembled.new_variables) {
      variables_ = assembled.result.variables;
      names_.clear();
      for (const Variable& variable : variables_) names_.push_back(variable.name);
    }
    if (assembled.imports) {
      imports_ = *std::move(assembled.imports);
      imports_are_due_ = false;
    }
    if (assembled.ends_process) end_process();
  }
  return std::move(assembled.result);
}

/// Its result has told what is lost with the process. Under the lock.
void ForkSession::end_process() {
  lost_.reset();
  names_.clear();
  variables_.clear();
  if (!process_) {
    imports_are_due_ = !imports_.empty();
    return;
  }
  ending_ = true;
  process_->kill();
}

void ForkSession::interrupt() {
  const std::lock_guard lock(mutex_);
  interrupt_active();
}

/// Under the lock.
void ForkSession::interrupt_active() {
  if (!active_ || active_settled_ || dynamic_cast<Execution*>(active_.get()) == nullptr) return;
  executor_.watchdog().watch(Clock::now(), {.target = process_->target(),
                                            .request = active_id_,
                                            .grace = active_->grace(),
                                            .reason = StopReason::caller});
}

void ForkSession::interrupt(Execution& execution) {
  std::shared_ptr<Request> queued;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(queue_.begin(), queue_.end(), [&](const auto& request) {
      return request.get() == &execution;
    });
    if (found != queue_.end()) {
      queued = *found;
      const auto behind = queue_.erase(found);
      for (auto moved = behind; moved != queue_.end(); ++moved) {
        (*moved)->on_queued(static_cast<std::size_t>(moved - queue_.begin()) + (active_ ? 1 : 0));
      }
    } else if (active_.get() == &execution) {
      interrupt_active();
    }
  }
  if (queued) queued->on_cancelled(std::nullopt);
}

}  // namespace cellblock::host

#include "host/execution.hpp"

#include <algorithm>
#include <utility>

#include "base/random_id.hpp"
#include "host/session_process.hpp"
#include "protocol/messages.hpp"

namespace cellblock::host {
namespace {

std::chrono::milliseconds effective_timeout(const RunOptions& options,
                                            const SecurityPolicy& policy) {
  return std::min(options.timeout.value_or(policy.timeout), policy.timeout);
}

// What a callback may have waiting beyond the results' own limit: marks without data.
constexpr Bytes kMostOverhead = 1ULL << 20;

Bytes size_of(const DisplayData& data) {
  Bytes size = data.chart_json.size() + data.display_id.size() + 64;
  for (const auto& mime : data.mime) size += mime.data.size() + mime.type.size();
  return size;
}

std::optional<std::chrono::microseconds> cpu_limit_of(const SecurityPolicy& policy) {
  if (!policy.cpu_seconds) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::duration<double>(*policy.cpu_seconds));
}

}  // namespace

Execution::Execution(std::string code, const RunOptions& options, RunCallbacks callbacks,
                     const SecurityPolicy& policy)
    : Request(protocol::FrameType::execute_request, "", effective_timeout(options, policy),
              policy.grace),
      id_(base::random_id("x-")),
      code_(std::move(code)),
      options_(options),
      callbacks_(std::move(callbacks)),
      max_result_bytes_(policy.max_result_bytes),
      max_streamed_bytes_(std::max(policy.spool_bytes, policy.max_stdout_bytes)),
      cpu_limit_(cpu_limit_of(policy)),
      longest_timeout_(policy.timeout),
      timeout_clamped_(options.timeout && *options.timeout > policy.timeout),
      out_(policy.max_stdout_bytes, policy.spool_bytes),
      err_(policy.max_stderr_bytes, policy.spool_bytes) {}

void Execution::set_count(std::uint64_t count) {
  count_ = count;
  set_body(protocol::ExecuteRequest{.code = code_, .execution_count = count, .imports = imports_}
               .encode());
}

bool Execution::streams(OutputStream stream) const {
  return static_cast<bool>(stream == OutputStream::out ? callbacks_.on_stdout
                                                       : callbacks_.on_stderr);
}

void Execution::on_output(OutputStream stream, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  (stream == OutputStream::out ? out_ : err_).append(bytes);
  if (!streams(stream)) return;
  // As much is streamed as is spooled: a slow reader must not make the host keep a flood.
  bytes = bytes.substr(0, max_streamed_bytes_ - streamed_bytes_);
  if (bytes.empty()) return;
  streamed_bytes_ += bytes.size();
  const auto kind = stream == OutputStream::out ? Event::Kind::out : Event::Kind::err;
  if (!events_.empty() && events_.back().kind == kind) {
    events_.back().text.append(bytes);
  } else {
    events_.push_back({.kind = kind, .text = std::string(bytes), .data = {}});
  }
  notify();
}

void Execution::on_display(DisplayData data) {
  const Bytes size = size_of(data);
  const std::lock_guard lock(mutex_);
  const bool streamed = static_cast<bool>(callbacks_.on_display);
  DisplayData copy = streamed ? data : DisplayData{};
  if (waiting_display_bytes_ + size > max_result_bytes_ + kMostOverhead ||
      !keep(std::move(data), size)) {
    ++dropped_displays_;
    return;
  }
  if (!streamed) return;
  waiting_display_bytes_ += size;
  events_.push_back({.kind = Event::Kind::display, .text = {}, .data = std::move(copy)});
  notify();
}

bool Execution::keep(DisplayData data, Bytes size) {
  using Operation = DisplayData::Operation;
  if (data.operation == Operation::clear) {
    displays_.clear();
    display_bytes_ = 0;
    return true;
  }
  const auto old = std::find_if(displays_.begin(), displays_.end(), [&](const DisplayData& shown) {
    return data.operation == Operation::update && shown.display_id == data.display_id;
  });
  const Bytes freed = old != displays_.end() ? size_of(*old) : 0;
  if (display_bytes_ - freed + size > max_result_bytes_) return false;
  display_bytes_ += size - freed;
  if (old == displays_.end()) {
    displays_.push_back(std::move(data));
  } else {
    old->mime = std::move(data.mime);
    old->chart_json = std::move(data.chart_json);
  }
  return true;
}

void Execution::on_queued(std::size_t position) {
  if (!callbacks_.on_queued) return;
  push({.kind = Event::Kind::queued, .text = {}, .data = {}, .position = position});
}

void Execution::push(Event event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
  notify();
}

/// Under the lock: the driver has something to do.
void Execution::notify() {
  changed_.notify_all();
  if (polling_ && poller_ != std::this_thread::get_id()) process_->wake();
}

void Execution::set_started(Clock::time_point when, std::shared_ptr<SessionProcess> process) {
  const std::lock_guard lock(mutex_);
  started_ = when;
  process_ = std::move(process);
  changed_.notify_all();
}

void Execution::on_reply(protocol::Frame frame, Stop stop) {
  settle({.kind = Outcome::Kind::replied, .reply = std::move(frame), .end = {}, .stop = stop});
}

void Execution::on_process_end(const ProcessEnd& end, Stop stop) {
  settle({.kind = Outcome::Kind::process_ended, .reply = {}, .end = end, .stop = stop});
}

void Execution::on_cancelled(const std::optional<Error>& why) {
  settle({.kind = Outcome::Kind::cancelled, .reply = {}, .end = {}, .why = why});
}

void Execution::settle(Outcome outcome) {
  outcome.when = Clock::now();
  const std::lock_guard lock(mutex_);
  if (outcome_) return;
  outcome_ = std::move(outcome);
  notify();
}

const Outcome& Execution::deliver_events() {
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_more(lock);
    if (events_.empty()) break;
    const Event event = std::move(events_.front());
    events_.pop_front();
    if (event.kind == Event::Kind::display) waiting_display_bytes_ -= size_of(event.data);
    lock.unlock();
    deliver(event);
    lock.lock();
  }
  process_.reset();
  lock.unlock();
  if (const auto rest = out_text_.finish(); !rest.empty()) callbacks_.on_stdout(rest);
  if (const auto rest = err_text_.finish(); !rest.empty()) callbacks_.on_stderr(rest);
  return *outcome_;
}

/// Waits until there is an event or the outcome. The channel is claimed only for the wait: while a
/// callback runs the supervisor drains it.
void Execution::wait_for_more(std::unique_lock<std::mutex>& lock) {
  const auto settled = [this] { return !events_.empty() || outcome_; };
  changed_.wait(lock, [&] { return settled() || process_; });
  if (settled()) return;
  const auto process = process_;
  poller_ = std::this_thread::get_id();
  lock.unlock();
  process->claim_channel();
  lock.lock();
  while (!settled()) {
    polling_ = true;
    lock.unlock();
    process->wait_channel();
    lock.lock();
    polling_ = false;
  }
  lock.unlock();
  process->release_channel();
  lock.lock();
}

void Execution::deliver(const Event& event) {
  switch (event.kind) {
    case Event::Kind::out:
      if (const auto text = out_text_.feed(event.text); !text.empty()) callbacks_.on_stdout(text);
      break;
    case Event::Kind::err:
      if (const auto text = err_text_.feed(event.text); !text.empty()) callbacks_.on_stderr(text);
      break;
    case Event::Kind::display:
      callbacks_.on_display(event.data);
      break;
    case Event::Kind::queued:
      callbacks_.on_queued(event.position);
      break;
  }
}

void Execution::finish(ExecutionResult result) {
  {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    changed_.notify_all();
  }
  if (callbacks_.on_done) callbacks_.on_done();
}

bool Execution::done() const {
  const std::lock_guard lock(mutex_);
  return result_.has_value();
}

ExecutionResult Execution::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return result_.has_value(); });
  return *result_;
}

std::optional<ExecutionResult> Execution::wait_for(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return result_.has_value(); });
  return result_;
}

}  // namespace cellblock::host

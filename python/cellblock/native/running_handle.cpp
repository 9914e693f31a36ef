#include "running_handle.hpp"

namespace cellblock::sdk {

RunningHandle::RunningHandle(const SessionHandle& session, const std::string& code,
                             const RunOptions& options, const EventQueue::Wanted& wanted)
    : running_(without_gil([&, opened = session.session()] {
        return own(opened->start(code, options, EventQueue::callbacks(queue_, wanted)));
      })),
      execution_id_(running_->execution_id()) {}

RunningHandle::~RunningHandle() {
  if (process_ != process_number()) return;
  const pybind11::gil_scoped_release released;
  queue_->abandon();
  running_.reset();
}

EventQueue::Taken RunningHandle::take() {
  require_own_process(process_);
  return queue_->take();
}

bool RunningHandle::wait(std::optional<std::chrono::nanoseconds> limit) const {
  require_own_process(process_);
  return wait_hearing_signals(queue_->wake_up(), limit);
}

int RunningHandle::fd() const {
  require_own_process(process_);
  return queue_->wake_up().fd();
}

bool RunningHandle::done() const {
  require_own_process(process_);
  return running_->done();
}

std::shared_ptr<ExecutionResult> RunningHandle::result() const {
  require_own_process(process_);
  if (running_->done()) return std::make_shared<ExecutionResult>(running_->wait());
  return without_gil([&] { return std::make_shared<ExecutionResult>(running_->wait()); });
}

void RunningHandle::interrupt() {
  require_own_process(process_);
  without_gil([&] { running_->interrupt(); });
}

}  // namespace cellblock::sdk

// The public classes, each a thin hand on what does the work.
#include <utility>

#include "cellblock/executor.hpp"
#include "cellblock/session.hpp"
#include "cellblock/version.hpp"
#include "host/fork_executor.hpp"
#include "host/fork_session.hpp"
#include "host/result_assembler.hpp"

namespace cellblock {

std::string_view version() { return CELLBLOCK_VERSION; }

// --- RunningExecution ------------------------------------------------------------------------

RunningExecution::RunningExecution(std::shared_ptr<host::ForkSession> session,
                                   std::shared_ptr<host::Execution> execution)
    : session_(std::move(session)), execution_(std::move(execution)) {}

const std::string& RunningExecution::execution_id() const { return execution_->id(); }
bool RunningExecution::done() const { return execution_->done(); }
ExecutionResult RunningExecution::wait() {
  const auto outside = session_->step_out();
  return execution_->wait();
}
std::optional<ExecutionResult> RunningExecution::wait_for(std::chrono::milliseconds limit) {
  const auto outside = session_->step_out();
  return execution_->wait_for(limit);
}
void RunningExecution::interrupt() { session_->interrupt(*execution_); }

// --- Session ---------------------------------------------------------------------------------

Session::Session(std::shared_ptr<host::ForkExecutor> executor,
                 std::shared_ptr<host::ForkSession> session)
    : executor_(std::move(executor)), session_(std::move(session)) {}

Session::~Session() {
  if (!session_) return;
  close();
  // It may be the executor's last handle.
  const auto outside = executor_->step_out();
  session_.reset();
  executor_.reset();
}

Session::Session(Session&&) noexcept = default;

Session& Session::operator=(Session&& other) noexcept {
  if (session_ && session_ != other.session_) close();
  // The old session first: its executor must outlive it.
  session_ = std::move(other.session_);
  executor_ = std::move(other.executor_);
  return *this;
}

const std::string& Session::id() const { return session_->id(); }
IsolationReport Session::isolation() const { return session_->isolation(); }
std::chrono::microseconds Session::start_time() const { return session_->start_time(); }

ExecutionResult Session::run(std::string_view code, const RunOptions& options,
                             const RunCallbacks& callbacks) {
  const auto outside = executor_->step_out();
  return session_->run(code, options, callbacks);
}

RunningExecution Session::start(std::string_view code, const RunOptions& options,
                                RunCallbacks callbacks) {
  return RunningExecution(session_, session_->start(code, options, std::move(callbacks)));
}

void Session::interrupt() { session_->interrupt(); }
Expected<void> Session::reset() {
  const auto outside = executor_->step_out();
  return session_->reset();
}
Expected<std::vector<Variable>> Session::variables() {
  const auto outside = executor_->step_out();
  return session_->variables();
}
Expected<Completion> Session::complete(std::string_view code, std::size_t cursor) {
  const auto outside = executor_->step_out();
  return session_->complete(code, cursor);
}
Expected<Inspection> Session::inspect(std::string_view code, std::size_t cursor) {
  const auto outside = executor_->step_out();
  return session_->inspect(code, cursor);
}
Expected<Completeness> Session::is_complete(std::string_view code) {
  const auto outside = executor_->step_out();
  return session_->is_complete(code);
}
Expected<OutputPage> Session::output(const OutputQuery& query) { return session_->output(query); }
Expected<std::string> Session::upload(std::string_view path, std::string_view data) {
  return session_->upload(path, data, host::Workspace::Write::replace);
}
Expected<std::string> Session::append(std::string_view path, std::string_view data) {
  return session_->upload(path, data, host::Workspace::Write::append);
}
Expected<std::string> Session::download(std::string_view path, Bytes offset,
                                        std::optional<Bytes> limit) {
  return session_->download(path, offset, limit);
}
Expected<std::vector<FileInfo>> Session::files() { return session_->files(); }
Expected<FileInfo> Session::stat(std::string_view path) { return session_->stat(path); }
Expected<Session> Session::open_context() {
  const auto outside = executor_->step_out();
  auto context = executor_->open_context(*session_);
  if (!context) return std::move(context).error();
  return Session(executor_, *std::move(context));
}
std::optional<Error> Session::ended() const { return session_->ended(); }
std::optional<EndReason> Session::end_reason() const { return session_->end_reason(); }
void Session::close() { session_->close(); }

// --- Executor --------------------------------------------------------------------------------

Executor::Executor(std::shared_ptr<host::ForkExecutor> executor) : executor_(std::move(executor)) {}
Executor::~Executor() {
  const auto outside = executor_->step_out();
  executor_.reset();
}

Expected<std::unique_ptr<Executor>> Executor::create(ExecutorKind kind, ExecutorOptions options) {
  host::SourceKind sources;
  if (kind == ExecutorKind::fork) {
    sources = host::zygote_sources();
  } else if (kind != ExecutorKind::in_process) {
    return Error{ErrorKind::unsupported,
                 "This version has the executors fork and in_process only: use one of them."};
  } else if (const auto* linked = host::in_process_sources()) {
    sources = *linked;
  } else {
    return Error{ErrorKind::unsupported,
                 "The in-process executor is a library of its own: link cellblock_in_process."};
  }
  auto executor = host::ForkExecutor::create(std::move(options), std::move(sources));
  if (!executor) return std::move(executor).error();
  return std::unique_ptr<Executor>(new Executor(*std::move(executor)));
}

Expected<Session> Executor::open_session(const SecurityPolicy& policy) {
  const auto outside = executor_->step_out();
  auto session = executor_->open_session(policy);
  if (!session) return std::move(session).error();
  return Session(executor_, *std::move(session));
}

ExecutionResult Executor::run(std::string_view code, const SecurityPolicy& policy,
                              const RunOptions& options) {
  auto session = open_session(policy);
  if (!session) return host::host_failure(code, options, session.error());
  return session->run(code, options);
}

Expected<EngineInfo> Executor::info(const SecurityPolicy& policy) {
  const auto outside = executor_->step_out();
  return executor_->info(policy);
}

Capabilities Executor::capabilities() const {
  return {.unsupported = {"checkpoint", "rollback", "branch", "save", "load"}};
}

}  // namespace cellblock

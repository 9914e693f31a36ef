// execute_python.
#include <chrono>
#include <utility>

#include "cellblock/code.hpp"
#include "mcp/execution_content.hpp"
#include "mcp/meta.hpp"
#include "mcp/progress.hpp"
#include "mcp/tool_words.hpp"
#include "tool/definition.hpp"

namespace cellblock::mcp {
namespace {

using std::chrono::milliseconds;

// Whatever a model asks for; more than the policy allows is clamped and told.
constexpr double kMaxTimeoutSeconds = 1e9;
constexpr std::size_t kMaxTrace = 512;
/// How often a caller is told what has come.
constexpr milliseconds kTellEvery{100};

/// What the answer is made from, but for small things.
std::size_t bytes_of(const ExecutionResult& result) {
  std::size_t bytes = result.out.size() + result.err.size() + result.text.value_or("").size();
  for (const auto& shown : result.results) {
    for (const auto& part : shown.mime) bytes += part.data.size();
  }
  return bytes;
}

/// One call of execute_python, from its arguments to its result.
class Run final {
 public:
  Run(Engine& engine, RequestHandle request, std::string code, RunOptions options)
      : engine_(engine),
        request_(std::move(request)),
        code_(std::move(code)),
        options_(std::move(options)) {
    const auto* meta = request_->message.body().meta();
    if (meta != nullptr && meta->contains(kProgressTokenKey)) {
      progress_ = std::make_shared<Progress>((*meta)[kProgressTokenKey]);
    }
  }

  /// Does not block.
  void start(SessionHandle session) {
    session_ = std::move(session);
    running_ = session_->start(code_, options_,
                               progress_ ? Progress::callbacks(progress_) : RunCallbacks{});
    request_->call->on_cancel([running = *running_]() mutable { running.interrupt(); });
  }

  /// The same for who has waited in the row; leaves it.
  void start(SessionHandle session, Turn& turn) {
    start(std::move(session));
    if (turn.leave() == Turn::Left::interrupted) running_->interrupt();
  }

  ToolResult finish() {
    const ExecutionResult result = wait();
    // What it has come to is there, in a batch, too.
    static_cast<void>(request_->call->make_room(bytes_of(result)));
    session_->forget(running_->execution_id());
    // It expired before the cell had begun.
    if (result.status == Status::host_error && session_->session().ended()) {
      auto found = engine_.sessions().find(session_->session().id());
      if (!found) return refused(found.error());
    }
    return to_tool_result(result, engine_.policy());
  }

  [[nodiscard]] const RequestHandle& request() const { return request_; }

 private:
  ExecutionResult wait() {
    if (!progress_) return running_->wait();
    while (true) {
      auto result = running_->wait_for(kTellEvery);
      progress_->tell(*request_->call);
      if (result) return *std::move(result);
    }
  }

  Engine& engine_;
  RequestHandle request_;
  std::string code_;
  RunOptions options_;
  std::shared_ptr<Progress> progress_;
  SessionHandle session_;
  std::optional<RunningExecution> running_;
};

ToolResult run_in_own(Engine& engine, Run& run, Turn& turn) {
  turn.wait();
  return in_opened(engine, run.request(), engine.sessions().unnamed(),
                   [&run, &turn](const SessionBook::Opened& opened) {
                     run.start(opened.session, turn);
                     return run.finish();
                   });
}

ToolResult run_in_fresh(Engine& engine, Run& run) {
  return in_opened(engine, run.request(), engine.sessions().unnamed(),
                   [&run](const SessionBook::Opened& opened) {
                     run.start(opened.session);
                     ToolResult result = run.finish();
                     add_note(result, "session_id: " + opened.session->session().id() +
                                          " (pass it to go on in this session)");
                     return result;
                   });
}

RunOptions read_options(const Request& request, const std::optional<double>& timeout) {
  RunOptions options;
  if (timeout) {
    options.timeout = std::max(
        milliseconds(1), std::chrono::round<milliseconds>(std::chrono::duration<double>(*timeout)));
  }
  const auto* meta = request.message.body().meta();
  if (meta == nullptr) return options;
  const auto trace = meta->find("traceparent");
  if (trace != meta->end() && trace->is_string() &&
      trace->get_ref<const std::string&>().size() <= kMaxTrace) {
    options.trace.traceparent = trace->get<std::string>();
  }
  return options;
}

}  // namespace

Json define_execute_python(const tool::Facts& facts) { return *tool::definition("mcp", facts); }

PreparedTool execute_python(Engine& engine, const RequestHandle& request, rpc::Params& arguments) {
  auto code = arguments.string("code");
  const auto timeout = arguments.optional_positive("timeout_seconds", kMaxTimeoutSeconds);
  const auto id = arguments.optional_string("session_id");
  if (auto wrong = arguments.finish()) return refused(*wrong);
  if (auto problem = code_problem(code)) return refused(*problem);
  const auto run =
      std::make_shared<Run>(engine, request, std::move(code), read_options(*request, timeout));
  const ToolWork finish = [run] { return run->finish(); };
  // Started here, not on a worker, wherever that does not block: runs of one session keep the order
  // of their requests.
  if (id) {
    auto found = engine.sessions().find(*id);
    if (!found) return refused(found.error());
    run->start(std::move(*found));
    return finish;
  }
  if (engine.options().unnamed_session == tool::UnnamedSession::fresh) {
    return ToolWork([&engine, run] { return run_in_fresh(engine, *run); });
  }
  const auto turn = engine.sessions().take_turn();
  if (turn->is_next()) {
    if (auto own = engine.sessions().own_if_open()) {
      run->start(std::move(own), *turn);
      return finish;
    }
  }
  return ToolWork([&engine, run, turn] { return run_in_own(engine, *run, *turn); });
}

}  // namespace cellblock::mcp

// session.run
#include <chrono>
#include <utility>

#include "cellblock/code.hpp"
#include "rpc/execution_feed.hpp"
#include "rpc/methods.hpp"

namespace cellblock::rpc {
namespace {

// The longest that a policy may allow.
constexpr double kMaxTimeoutSeconds = 2'592'000;

std::chrono::milliseconds to_milliseconds(double seconds) {
  return std::max(std::chrono::milliseconds(1), std::chrono::round<std::chrono::milliseconds>(
                                                    std::chrono::duration<double>(seconds)));
}

std::optional<RpcError> read_trace(const Json& object, TraceContext& trace) {
  Params params("session.run, trace", object);
  trace.traceparent = params.optional_string("traceparent").value_or("");
  trace.request_id = params.optional_string("request_id").value_or("");
  trace.tenant = params.optional_string("tenant").value_or("");
  return params.finish();
}

std::string with_model_text(const ExecutionResult& result, Bytes budget) {
  std::string json = result.to_json();
  json.pop_back();  // the object's end
  return json + R"(,"model_text":)" + to_text(result.to_model_text(budget)) + "}";
}

}  // namespace

Prepared session_run(Engine& engine, Params& params) {
  const std::string code = params.string("code");
  const auto timeout = params.optional_positive("timeout_s", kMaxTimeoutSeconds);
  const auto on_error = params.choice("on_error", {"keep", "rollback"});
  const Json* trace = params.optional_object("trace");
  const auto model_text_bytes = params.optional_count("model_text_bytes");
  auto session = named_session(engine, params);
  if (!session) return std::move(session).error();
  if (auto problem = code_problem(code)) return server_error(*std::move(problem));

  RunOptions options;
  if (timeout) options.timeout = to_milliseconds(*timeout);
  if (on_error == "rollback") {
    return RpcError{kServerError, ErrorKind::unsupported,
                    "on_error \"rollback\" is not built yet; leave it out or use \"keep\"."};
  }
  if (trace != nullptr) {
    if (auto wrong = read_trace(*trace, options.trace)) return *std::move(wrong);
  }

  auto opened = std::move(*session);
  const auto feed = std::make_shared<ExecutionFeed>(engine.outbox, opened->session().id());
  // Started here, not on a worker: runs of one session keep the order of their requests.
  auto running = opened->start(code, options, ExecutionFeed::callbacks(feed));
  return [opened = std::move(opened), running = std::move(running), feed,
          model_text_bytes]() mutable -> Outcome {
    feed->identify(running.execution_id());
    const ExecutionResult result = running.wait();
    opened->forget(running.execution_id());
    // It expired before the cell had begun.
    if (auto over = opened->session().ended(); over && result.status == Status::host_error) {
      return server_error(*std::move(over));
    }
    return model_text_bytes ? with_model_text(result, *model_text_bytes) : result.to_json();
  };
}

}  // namespace cellblock::rpc

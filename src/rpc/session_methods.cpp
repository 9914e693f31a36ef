// engine.info and the life of a session.
#include <chrono>
#include <utility>

#include "rpc/methods.hpp"

namespace cellblock::rpc {
namespace {

double milliseconds(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1000.0;
}

Outcome open(const Engine& engine, const std::string& python, const SecurityPolicy& policy) {
  auto executor = engine.executors.get(python);
  if (!executor) return std::move(executor).error();
  auto session = (*executor)->open_session(policy);
  if (!session) return server_error(std::move(session).error());
  const auto opened = engine.sessions.add(std::move(*session));
  if (!opened) {
    return RpcError{kServerError, ErrorKind::host_error, "The server is ending."};
  }
  const Session& opened_session = opened->session();
  return to_text({{"session_id", opened_session.id()},
                  {"isolation", Json::parse(opened_session.isolation().to_json())},
                  {"start_ms", milliseconds(opened_session.start_time())}});
}

}  // namespace

Prepared engine_info(Engine& engine, Params& params) {
  if (auto wrong = params.finish()) return *std::move(wrong);
  return [&engine]() -> Outcome {
    auto executor = engine.executors.get();
    if (!executor) return std::move(executor).error();
    auto info = (*executor)->info(engine.default_policy);
    if (!info) return server_error(std::move(info).error());
    return info->to_json();
  };
}

Prepared session_open(Engine& engine, Params& params) {
  const Json* policy_json = params.optional_object("policy");
  const auto executor = params.optional_string("executor").value_or("fork");
  auto python = params.optional_string("python").value_or("");
  const bool shares = params.optional_string("share").has_value();
  if (auto wrong = params.finish()) return *std::move(wrong);
  if (executor != "fork") {
    return RpcError{kServerError, ErrorKind::unsupported,
                    "The only executor so far is \"fork\"; leave `executor` out."};
  }
  if (shares) {
    return RpcError{kServerError, ErrorKind::unsupported,
                    "Sessions cannot be shared yet; leave `share` out."};
  }
  auto policy = policy_or_default(engine, policy_json);
  if (!policy) return std::move(policy).error();
  return [&engine, python = std::move(python), policy = std::move(*policy)] {
    return open(engine, python, policy);
  };
}

Prepared session_interrupt(Engine& engine, Params& params) {
  const auto execution_id = params.optional_string("execution_id");
  auto session = named_session(engine, params);
  if (!session) return std::move(session).error();
  return to_text({{"interrupted", (*session)->interrupt(execution_id)}});
}

Prepared session_reset(Engine& engine, Params& params) {
  auto session = named_session(engine, params);
  if (!session) return std::move(session).error();
  return [opened = std::move(*session)]() -> Outcome {
    auto done = opened->session().reset();
    if (!done) return server_error(std::move(done).error());
    return std::string("{}");
  };
}

Prepared session_close(Engine& engine, Params& params) {
  const std::string id = params.string("session_id");
  if (auto wrong = params.finish()) return *std::move(wrong);
  auto session = engine.sessions.take(id);
  if (!session) return std::move(session).error();
  return [opened = std::move(*session)]() -> Outcome {
    opened->session().close();
    return std::string("{}");
  };
}

}  // namespace cellblock::rpc

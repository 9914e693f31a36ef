// engine.info and the life of a session.
#include <chrono>
#include <utility>

#include "rpc/methods.hpp"

namespace cellblock::rpc {
namespace {

double milliseconds(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1000.0;
}

Outcome admit(const Engine& engine, Expected<Session> session) {
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

Outcome open(const Engine& engine, const std::string& python, const SecurityPolicy& policy) {
  auto executor = engine.executors.get(python);
  if (!executor) return std::move(executor).error();
  return admit(engine, (*executor)->open_session(policy));
}

/// A context: what else the parameters of session.open decide comes from the session.
Prepared open_context(Engine& engine, const std::string& shared, bool is_alone) {
  if (!is_alone) {
    return RpcError{kServerError, ErrorKind::bad_argument,
                    "Policy, executor and Python of a context are those of the session in `share`: "
                    "leave `policy`, `executor` and `python` out."};
  }
  auto session = engine.sessions.find(shared);
  if (!session) return std::move(session).error();
  return [&engine, opened = std::move(*session)] {
    return admit(engine, opened->session().open_context());
  };
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
  const auto executor = params.optional_string("executor");
  auto python = params.optional_string("python");
  const auto shared = params.optional_string("share");
  if (auto wrong = params.finish()) return *std::move(wrong);
  if (shared) {
    return open_context(engine, *shared, policy_json == nullptr && !executor && !python);
  }
  if (executor && *executor != "fork") {
    return RpcError{kServerError, ErrorKind::unsupported,
                    "The only executor so far is \"fork\"; leave `executor` out."};
  }
  SecurityPolicy policy = engine.default_policy;
  if (policy_json != nullptr) {
    auto given = SecurityPolicy::from_json(to_text(*policy_json));
    if (!given) return server_error(std::move(given).error());
    policy = std::move(*given);
  }
  return [&engine, python = std::move(python).value_or(""), policy = std::move(policy)] {
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

// The methods of the protocol. docs/protocol.md shows one example of each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rpc/answer_room.hpp"
#include "rpc/executors.hpp"
#include "rpc/outbox.hpp"
#include "rpc/params.hpp"
#include "rpc/sessions.hpp"

namespace cellblock::rpc {

/// What the methods work with; outlives them.
struct Engine {
  Executors& executors;
  Sessions& sessions;
  Outbox& outbox;
  /// Of sessions that are opened without one.
  SecurityPolicy default_policy;
  AnswerRoom& answers;
};

/// The part of a method that may block.
using Work = std::function<Outcome()>;
/// The same where the answer may be large: `bytes` finds out, blocking, what it will be made from.
struct LargeWork {
  std::function<std::size_t()> bytes;
  Work work;
};
/// A method either answers at once or leaves work.
using Prepared = std::variant<Outcome, Work, LargeWork>;

struct Method {
  std::string_view name;
  /// Reads the parameters and does what must keep the order of the requests. Never blocks.
  Prepared (*prepare)(Engine& engine, Params& params);
  /// Taken even when too many requests are under way.
  bool urgent = false;
};

/// Null: there is no such method.
const Method* find_method(std::string_view name);

// session_methods.cpp
Prepared engine_info(Engine& engine, Params& params);
Prepared session_open(Engine& engine, Params& params);
Prepared session_interrupt(Engine& engine, Params& params);
Prepared session_reset(Engine& engine, Params& params);
Prepared session_close(Engine& engine, Params& params);

// tool_method.cpp
Prepared engine_tool_schema(Engine& engine, Params& params);

// run_method.cpp
Prepared session_run(Engine& engine, Params& params);

// inspection_methods.cpp
Prepared session_variables(Engine& engine, Params& params);
Prepared session_complete(Engine& engine, Params& params);
Prepared session_inspect(Engine& engine, Params& params);
Prepared session_is_complete(Engine& engine, Params& params);
Prepared session_output(Engine& engine, Params& params);

// file_methods.cpp
Prepared session_upload(Engine& engine, Params& params);
Prepared session_download(Engine& engine, Params& params);
Prepared session_files(Engine& engine, Params& params);

/// Reads session_id and finds its session; `params` then has been finished. Call it last.
Expected<std::shared_ptr<OpenSession>, RpcError> named_session(const Engine& engine,
                                                               Params& params);

/// The policy that a request gives, or the server's when it is null.
/// Error kind: policy_invalid.
Expected<SecurityPolicy, RpcError> policy_or_default(const Engine& engine, const Json* given);

}  // namespace cellblock::rpc

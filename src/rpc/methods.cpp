#include "rpc/methods.hpp"

#include <algorithm>
#include <array>

namespace cellblock::rpc {
namespace {

Prepared not_built(Engine& /*engine*/, Params& /*params*/) {
  return RpcError{kServerError, ErrorKind::unsupported,
                  "This method is not built yet; engine.info tells this version."};
}

constexpr std::array kMethods = {
    Method{"engine.info", engine_info},
    Method{"engine.tool_schema", engine_tool_schema},
    Method{"session.open", session_open},
    Method{"session.run", session_run},
    Method{"session.interrupt", session_interrupt, true},
    Method{"session.reset", session_reset},
    Method{"session.variables", session_variables},
    Method{"session.complete", session_complete},
    Method{"session.inspect", session_inspect},
    Method{"session.is_complete", session_is_complete},
    Method{"session.output", session_output},
    Method{"session.upload", session_upload},
    Method{"session.download", session_download},
    Method{"session.files", session_files},
    Method{"session.checkpoint", not_built},
    Method{"session.rollback", not_built},
    Method{"session.branch", not_built},
    Method{"session.save", not_built},
    Method{"session.load", not_built},
    Method{"session.close", session_close, true},
};

}  // namespace

const Method* find_method(std::string_view name) {
  const auto found = std::find_if(kMethods.begin(), kMethods.end(),
                                  [name](const Method& method) { return method.name == name; });
  return found == kMethods.end() ? nullptr : &*found;
}

Expected<std::shared_ptr<OpenSession>, RpcError> named_session(const Engine& engine,
                                                               Params& params) {
  const std::string id = params.string("session_id");
  if (auto wrong = params.finish()) return *std::move(wrong);
  return engine.sessions.find(id);
}

Expected<SecurityPolicy, RpcError> policy_or_default(const Engine& engine, const Json* given) {
  if (given == nullptr) return engine.default_policy;
  auto policy = SecurityPolicy::from_json(to_text(*given));
  if (!policy) return server_error(std::move(policy).error());
  return std::move(*policy);
}

}  // namespace cellblock::rpc

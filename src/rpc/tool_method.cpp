// engine.tool_schema: the tool for a model that runs code here.
#include <utility>

#include "rpc/methods.hpp"
#include "tool/definition.hpp"

namespace cellblock::rpc {
namespace {

Outcome define(const Engine& engine, const std::string& format, SecurityPolicy policy) {
  auto executor = engine.executors.get();
  if (!executor) return std::move(executor).error();
  auto info = (*executor)->info(policy);
  if (!info) return server_error(std::move(info).error());
  const auto definition =
      tool::definition(format, {.engine = std::move(*info), .policy = std::move(policy)});
  if (!definition) return server_error(definition.error());
  return definition->dump(-1, ' ', false, tool::Json::error_handler_t::replace);
}

}  // namespace

Prepared engine_tool_schema(Engine& engine, Params& params) {
  auto format = params.choice("format", {"json", "openai", "anthropic", "mcp", "langchain"});
  const Json* policy_json = params.optional_object("policy");
  if (auto wrong = params.finish()) return *std::move(wrong);
  auto policy = policy_or_default(engine, policy_json);
  if (!policy) return std::move(policy).error();
  return [&engine, format = std::move(format), policy = std::move(*policy)] {
    return define(engine, format, policy);
  };
}

}  // namespace cellblock::rpc

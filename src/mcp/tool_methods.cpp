// tools/list and tools/call.
#include <algorithm>
#include <utility>

#include "base/terminal_text.hpp"
#include "mcp/methods.hpp"
#include "mcp/tools.hpp"

namespace cellblock::mcp {
namespace {

const rpc::Json kNoArguments = rpc::Json::object();

/// Null: there is no such tool.
const Tool* find_tool(const rpc::Json& name) {
  const auto& tools = all_tools();
  const auto found =
      std::find_if(tools.begin(), tools.end(), [&](const Tool& one) { return one.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

}  // namespace

Prepared tools_list(Engine& engine, const RequestHandle& request) {
  if (auto wrong = refuse_cursor(*request)) return Outcome(*std::move(wrong));
  return Work([&engine, request]() -> Outcome {
    auto facts = engine.facts();
    if (!facts) return Refusal{kInternalError, facts.error().message};
    Json tools = Json::array();
    for (const auto& tool : all_tools()) {
      tools.push_back(definition_for(request->dialect, tool.define(*facts)));
    }
    return cacheable(request->dialect, {{"tools", std::move(tools)}}, kStableTtlMs,
                     CacheScope::everybody);
  });
}

Prepared tools_call(Engine& engine, const RequestHandle& request) {
  const auto& params = request->params();
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) {
    return Outcome(Refusal{kInvalidParams, "tools/call needs \"name\", a string."});
  }
  const auto given = params.find("arguments");
  if (given != params.end() && !given->is_object()) {
    return Outcome(Refusal{kInvalidParams, "tools/call: \"arguments\" must be an object."});
  }
  const Tool* tool = find_tool(*name);
  if (tool == nullptr) {
    const auto shown = base::terminal_safe_line(name->get<std::string>().substr(0, 60));
    return Outcome(Refusal{kInvalidParams,
                           "Unknown tool: " + shown + ". tools/list names those that there are."});
  }
  rpc::Params arguments(tool->name, given == params.end() ? kNoArguments : *given);
  PreparedTool prepared = tool->prepare(engine, request, arguments);
  if (auto* result = std::get_if<ToolResult>(&prepared)) {
    return Outcome(result_for(request->dialect, std::move(*result)));
  }
  return Work([request, work = std::get<ToolWork>(std::move(prepared))]() -> Outcome {
    return result_for(request->dialect, work());
  });
}

bool calls_urgent_tool(const Message& message) {
  const auto& params = message.body().params;
  const auto name = params.find("name");
  const Tool* tool = name == params.end() ? nullptr : find_tool(*name);
  return tool != nullptr && tool->urgent;
}

}  // namespace cellblock::mcp

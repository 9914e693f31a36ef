#include "tool/definition.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "cellblock/code.hpp"
#include "tool/description.hpp"
#include "tool/limits_text.hpp"
#include "tool/result.hpp"

namespace cellblock::tool {
namespace {

double seconds(std::chrono::milliseconds duration) {
  return static_cast<double>(duration.count()) / 1000.0;
}

Json annotations() {
  // It changes its own sandbox only, and reaches nothing outside of it.
  return {{"title", kToolTitle},
          {"readOnlyHint", false},
          {"destructiveHint", false},
          {"idempotentHint", false},
          {"openWorldHint", false}};
}

Json helpers(const EngineInfo& engine) {
  Json list = Json::array();
  for (const auto& helper : engine.helpers) {
    list.push_back({{"name", helper.name}, {"signature", helper.signature}, {"doc", helper.doc}});
  }
  return list;
}

Json everything(const Facts& facts) {
  return {{"name", kToolName},
          {"title", kToolTitle},
          {"description", full_description(facts)},
          {"short_description", short_description(facts)},
          {"prompt", system_prompt(facts)},
          {"input_schema", input_schema(facts)},
          {"output_schema", result_schema()},
          {"model_text_bytes", model_text_budget(facts.policy)},
          {"python_version", facts.engine.python_version},
          {"packages", facts.engine.allowed_imports},
          {"preloaded", facts.engine.preloaded},
          {"helpers", helpers(facts.engine)},
          {"policy", Json::parse(facts.policy.to_json())}};
}

}  // namespace

Json input_schema(const Facts& facts) {
  const double most = seconds(facts.policy.timeout);
  Json properties = {
      {"code",
       {{"type", "string"},
        {"description",
         "Python code, as one notebook cell. At most " + size_text(kMaxCodeBytes) + "."}}},
      {"timeout_seconds",
       {{"type", "number"},
        {"exclusiveMinimum", 0},
        {"description", "Stop after so many seconds; " + duration_text(facts.policy.timeout) +
                            " at most, which is also the default."},
        {"default", most}}}};
  if (facts.takes_session_id) {
    properties["session_id"] = {
        {"type", "string"},
        {"description", facts.unnamed_session == UnnamedSession::own
                            ? "The session to run in. Leave it out for the default session."
                            : "The session to run in, from an earlier result. Leave it out for a "
                              "new session."}};
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", Json::array({"code"})},
          {"additionalProperties", false}};
}

Expected<Json> definition(std::string_view format, const Facts& facts) {
  if (format == "openai") {
    return Json{{"type", "function"},
                {"function",
                 {{"name", kToolName},
                  {"description", short_description(facts)},
                  {"parameters", input_schema(facts)}}}};
  }
  if (format == "anthropic") {
    return Json{{"name", kToolName},
                {"description", full_description(facts)},
                {"input_schema", input_schema(facts)}};
  }
  if (format == "mcp") {
    return Json{{"name", kToolName},
                {"title", kToolTitle},
                {"description", full_description(facts)},
                {"inputSchema", input_schema(facts)},
                {"outputSchema", result_schema()},
                {"annotations", annotations()}};
  }
  if (format == "langchain") {
    return Json{{"name", kToolName},
                {"description", short_description(facts)},
                {"args_schema", input_schema(facts)},
                {"response_format", "content_and_artifact"}};
  }
  if (format == "json") return everything(facts);
  return Error{ErrorKind::bad_argument, "There is no format \"" + std::string(format) +
                                            "\"; use openai, anthropic, mcp, langchain or json."};
}

}  // namespace cellblock::tool

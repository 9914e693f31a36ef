#include "mcp/tool_words.hpp"

#include "mcp/content.hpp"
#include "rpc/answer_room.hpp"

namespace cellblock::mcp {
namespace {

Json all_keys(const Json& object) {
  Json keys = Json::array();
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

std::string session_words(const tool::Facts& facts) {
  return facts.unnamed_session == tool::UnnamedSession::own
             ? "The session; leave it out for the default session."
             : "The session, from the result of an earlier call.";
}

}  // namespace

Json described(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

Json define(const tool::Facts& facts, ToolWords words) {
  words.properties["session_id"] = described("string", session_words(facts));
  Json input{{"type", "object"}, {"properties", std::move(words.properties)}};
  if (!words.required.empty()) input["required"] = std::move(words.required);
  input["additionalProperties"] = false;

  Json output{{"session_id", {{"type", "string"}}}};
  for (auto& item : words.output.items()) output[item.key()] = std::move(item.value());
  Json required = all_keys(output);
  return {{"name", words.name},
          {"title", words.title},
          {"description", std::move(words.description)},
          {"inputSchema", std::move(input)},
          {"outputSchema",
           {{"type", "object"}, {"properties", std::move(output)}, {"required", required}}},
          {"annotations",
           {{"title", words.title},
            {"readOnlyHint", words.effect == Effect::reads},
            {"destructiveHint", words.effect == Effect::destroys},
            {"idempotentHint", false},
            {"openWorldHint", false}}}};
}

Expected<SessionHandle, ToolResult> target(Engine& engine, rpc::Params& arguments) {
  const auto id = arguments.optional_string("session_id");
  if (auto wrong = arguments.finish()) return refused(*wrong);
  if (!id) return engine.sessions().own_if_open();
  auto found = engine.sessions().find(*id);
  if (!found) return refused(found.error());
  return std::move(*found);
}

Expected<SessionHandle, ToolResult> existing_target(Engine& engine, rpc::Params& arguments,
                                                    std::string_view what) {
  auto found = target(engine, arguments);
  const bool is_needed = engine.options().unnamed_session == tool::UnnamedSession::fresh;
  if (found && !*found && is_needed) {
    return refused(ErrorKind::bad_argument, "session_id is needed: give the session whose " +
                                                std::string(what) +
                                                ", from the result of an earlier call.");
  }
  return found;
}

ToolResult no_room() { return refused(ErrorKind::busy_limit, rpc::kNoRoom); }

void add_note(ToolResult& result, const std::string& note) {
  result.content.push_back(text_block(note));
}

}  // namespace cellblock::mcp

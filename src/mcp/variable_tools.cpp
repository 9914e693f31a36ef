// list_variables and inspect_variable.
#include <utility>

#include "base/terminal_text.hpp"
#include "mcp/content.hpp"
#include "mcp/tool_words.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::size_t kMaxName = 1'000;
constexpr std::size_t kMaxLines = 200;

Json variable_json(const Variable& variable) {
  return {{"name", variable.name}, {"type", variable.type}, {"summary", variable.summary}};
}

std::string lines(const std::vector<Variable>& variables) {
  if (variables.empty()) return "The session has no variables.";
  std::string text;
  for (std::size_t i = 0; i < variables.size() && i < kMaxLines; ++i) {
    text += i == 0 ? "" : "\n";
    text += base::terminal_safe_line(variables[i].name + ": " + variables[i].summary);
  }
  if (variables.size() > kMaxLines) {
    text += "\nand " + std::to_string(variables.size() - kMaxLines) + " more";
  }
  return text;
}

ToolResult list(const SessionHandle& session) {
  auto variables = session->session().variables();
  if (!variables) return refused(variables.error());
  ToolResult result;
  result.content.push_back(text_block(lines(*variables)));
  Json list = Json::array();
  for (const auto& variable : *variables) list.push_back(variable_json(variable));
  result.structured = {{"session_id", session->session().id()}, {"variables", std::move(list)}};
  return result;
}

ToolResult inspect(const SessionHandle& session, const std::string& name) {
  // The cursor counts characters; behind the last one it is past every byte, too.
  auto found = session->session().inspect(name, name.size());
  if (!found) return refused(found.error());
  if (!found->found) {
    return refused(
        ErrorKind::bad_argument,
        "There is no \"" + name + "\" in the session; list_variables names what there is.");
  }
  ToolResult result;
  result.content.push_back(text_block(found->text));
  result.structured = {
      {"session_id", session->session().id()}, {"name", name}, {"text", found->text}};
  return result;
}

}  // namespace

Json define_list_variables(const tool::Facts& facts) {
  Json variable{{"type", "object"},
                {"properties",
                 {{"name", {{"type", "string"}}},
                  {"type", {{"type", "string"}}},
                  {"summary", {{"type", "string"}}}}},
                {"required", {"name", "type", "summary"}}};
  return define(facts, {.name = "list_variables",
                        .title = "List variables",
                        .description = "List the session's variables, each with its type and a "
                                       "one-line summary (for a table its shape).",
                        .output = {{"variables", {{"type", "array"}, {"items", variable}}}}});
}

PreparedTool list_variables(Engine& engine, const RequestHandle& request, rpc::Params& arguments) {
  auto session = existing_target(engine, arguments, "variables you want");
  if (!session) return std::move(session).error();
  return in_session(engine, request, std::move(*session), list);
}

Json define_inspect_variable(const tool::Facts& facts) {
  return define(
      facts, {.name = "inspect_variable",
              .title = "Inspect a variable",
              .description = "Describe one name of the session: a variable's value in short, or a "
                             "function's signature and docstring. Dotted names work (df.groupby).",
              .properties = {{"name", described("string", "A variable, function or dotted name.")}},
              .required = Json::array({"name"}),
              .output = {{"name", {{"type", "string"}}}, {"text", {{"type", "string"}}}}});
}

PreparedTool inspect_variable(Engine& engine, const RequestHandle& request,
                              rpc::Params& arguments) {
  auto name = arguments.string("name");
  if (name.size() > kMaxName) arguments.refuse("name", "is too long to be a name");
  auto session = existing_target(engine, arguments, "variables you want");
  if (!session) return std::move(session).error();
  return in_session(
      engine, request, std::move(*session),
      [name = std::move(name)](const SessionHandle& opened) { return inspect(opened, name); });
}

}  // namespace cellblock::mcp

#include "mcp/tools.hpp"

#include <algorithm>

#include "base/terminal_text.hpp"
#include "mcp/content.hpp"
#include "mcp/meta.hpp"

namespace cellblock::mcp {

ToolResult refused(ErrorKind kind, const std::string& message) {
  ToolResult result;
  // It may name what a session or its caller has named.
  result.content.push_back(text_block(base::terminal_safe_line(message)));
  result.is_error = true;
  result.meta = {{kErrorKindKey, to_string(kind)}};
  return result;
}

ToolResult refused(const Error& error) { return refused(error.kind, error.message); }

ToolResult refused(const rpc::RpcError& error) { return refused(error.kind, error.message); }

const std::vector<Tool>& all_tools() {
  static const std::vector<Tool> kTools = {
      {"execute_python", define_execute_python, execute_python},
      {"list_variables", define_list_variables, list_variables},
      {"inspect_variable", define_inspect_variable, inspect_variable},
      {"reset_session", define_reset_session, reset_session},
      {"interrupt", define_interrupt, interrupt, true},
      {"upload_file", define_upload_file, upload_file},
      {"download_file", define_download_file, download_file},
      {"list_files", define_list_files, list_files},
      {"read_output", define_read_output, read_output},
  };
  return kTools;
}

Json definition_for(const Dialect& dialect, Json definition) {
  if (!dialect.has_structure()) {
    definition.erase("title");
    definition.erase("outputSchema");
  }
  if (!dialect.has_annotations()) definition.erase("annotations");
  return definition;
}

Json result_for(const Dialect& dialect, ToolResult result) {
  Json json = Json::object();
  if (!dialect.has_structure()) {
    Json kept = Json::array();
    for (auto& block : result.content) {
      if (block["type"] != "resource_link") kept.push_back(std::move(block));
    }
    result.content = std::move(kept);
  }
  json["content"] = std::move(result.content);
  if (dialect.has_structure() && !result.structured.is_null()) {
    json["structuredContent"] = std::move(result.structured);
  }
  json["isError"] = result.is_error;
  if (!result.meta.is_null()) json["_meta"] = std::move(result.meta);
  return json;
}

}  // namespace cellblock::mcp

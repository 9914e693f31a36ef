// The tools. docs/mcp.md tells each of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "mcp/engine.hpp"
#include "rpc/params.hpp"

namespace cellblock::mcp {

/// What a tool gives; one that fails is a result, too, so that the model reads it.
struct ToolResult {
  Json content = Json::array();
  Json structured;  ///< null: none
  bool is_error = false;
  Json meta;  ///< null: none
};

/// The tool did nothing. `message` is one sentence that says what to do.
ToolResult refused(ErrorKind kind, const std::string& message);
ToolResult refused(const Error& error);
ToolResult refused(const rpc::RpcError& error);

using ToolWork = std::function<ToolResult()>;
/// A tool either answers at once or leaves work, which may block.
using PreparedTool = std::variant<ToolResult, ToolWork>;

struct Tool {
  std::string_view name;
  /// The definition as tools/list of the newest version gives it.
  Json (*define)(const tool::Facts& facts);
  /// Reads the arguments and does what must keep the order of the requests. Never blocks.
  PreparedTool (*prepare)(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
  /// Taken even when too many requests are under way.
  bool urgent = false;
};

/// In the order in which they are listed.
const std::vector<Tool>& all_tools();

/// The parts of a definition that only some versions have are left out.
Json definition_for(const Dialect& dialect, Json definition);
/// The same for a result.
Json result_for(const Dialect& dialect, ToolResult result);

// execute_tool.cpp
Json define_execute_python(const tool::Facts& facts);
PreparedTool execute_python(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
// variable_tools.cpp
Json define_list_variables(const tool::Facts& facts);
PreparedTool list_variables(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
Json define_inspect_variable(const tool::Facts& facts);
PreparedTool inspect_variable(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
// session_tools.cpp
Json define_reset_session(const tool::Facts& facts);
PreparedTool reset_session(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
Json define_interrupt(const tool::Facts& facts);
PreparedTool interrupt(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
// file_tools.cpp
Json define_upload_file(const tool::Facts& facts);
PreparedTool upload_file(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
Json define_download_file(const tool::Facts& facts);
PreparedTool download_file(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
Json define_list_files(const tool::Facts& facts);
PreparedTool list_files(Engine& engine, const RequestHandle& request, rpc::Params& arguments);
// output_tool.cpp
Json define_read_output(const tool::Facts& facts);
PreparedTool read_output(Engine& engine, const RequestHandle& request, rpc::Params& arguments);

}  // namespace cellblock::mcp

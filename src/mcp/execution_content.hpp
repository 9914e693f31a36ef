// An execution's result as a tool's result.
#pragma once

#include "cellblock/policy.hpp"
#include "cellblock/result.hpp"
#include "mcp/tools.hpp"

namespace cellblock::mcp {

/// First the text for the model, then pictures, then links to what it wrote and to output that was
/// cut, then notes of ours. A run that failed is_error; its structured result is there all the
/// same.
ToolResult to_tool_result(const ExecutionResult& result, const SecurityPolicy& policy);

}  // namespace cellblock::mcp

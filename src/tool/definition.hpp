// The tool's definition as the programming interfaces of models take it.
#pragma once

#include <string_view>

#include "cellblock/expected.hpp"
#include "tool/facts.hpp"

namespace cellblock::tool {

inline constexpr std::string_view kToolName = "execute_python";
inline constexpr std::string_view kToolTitle = "Run Python";

/// JSON Schema of the arguments: code, timeout_seconds and, where the model names
/// sessions, session_id. No other is taken.
Json input_schema(const Facts& facts);

/// The definition in a format: "openai" (an entry of `tools`; its description is the short one),
/// "anthropic" (the same there), "mcp" (a Tool of tools/list), "langchain" (the keyword arguments
/// of StructuredTool besides the function) or "json" (all that is known: schemas, description,
/// prompt, packages, helpers, limits).
/// Error kind: bad_argument for another format.
Expected<Json> definition(std::string_view format, const Facts& facts);

}  // namespace cellblock::tool

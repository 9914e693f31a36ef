// What execute_python returns to a program beside the text for the model.
#pragma once

#include "cellblock/result.hpp"
#include "tool/facts.hpp"

namespace cellblock::tool {

/// JSON Schema of structured_result's objects. Every one of them validates against it.
Json result_schema();

/// ExecutionResult's JSON form (docs/results.md) in what a program can use at once: without
/// pictures (they go beside it), without texts of more than kMaxMimeBytes of one
/// MIME type (named in `omitted`), without the list of all variables, the isolation's layers and
/// the caller's own marks. Texts are as the session wrote them: data, nothing is escaped but what
/// JSON escapes.
Json structured_result(const ExecutionResult& result);
inline constexpr std::size_t kMaxMimeBytes = 256U << 10;

}  // namespace cellblock::tool

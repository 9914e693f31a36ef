// The addresses of what sessions hold: files of the workspace, output of executions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cellblock/session.hpp"

namespace cellblock::mcp {

inline constexpr std::string_view kFileTemplate = "cellblock://sessions/{session_id}/files/{+path}";
inline constexpr std::string_view kOutputTemplate =
    "cellblock://sessions/{session_id}/outputs/{execution_id}/{stream}{?offset}";

struct ResourceUri {
  std::string session_id;
  std::string path;          ///< of a file; empty: it is output
  std::string execution_id;  ///< of output
  OutputStream stream = OutputStream::out;
  Bytes offset = 0;  ///< where the output is to begin
};

std::string file_uri(std::string_view session_id, std::string_view path);
std::string output_uri(std::string_view session_id, std::string_view execution_id,
                       OutputStream stream);

/// Nothing: it is no address of ours.
std::optional<ResourceUri> parse_uri(std::string_view uri);

}  // namespace cellblock::mcp

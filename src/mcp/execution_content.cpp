#include "mcp/execution_content.hpp"

#include <string>

#include "mcp/content.hpp"
#include "mcp/resource_uri.hpp"
#include "mcp/tool_words.hpp"
#include "tool/limits_text.hpp"
#include "tool/result.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::size_t kMaxFileLinks = 20;

bool went_well(const ExecutionResult& result) {
  return result.status == Status::ok || (result.status == Status::exit && result.exit_code == 0);
}

/// How many pictures were left out.
std::size_t add_pictures(ToolResult& tool, const ExecutionResult& result) {
  std::size_t broken = 0;
  for (const auto& shown : result.results) {
    for (const auto& part : shown.mime) {
      if (!part.type.starts_with("image/") || part.type == "image/svg+xml") continue;
      Json block = image_block(part.type, part.data);
      if (block.is_null()) {
        ++broken;
      } else {
        tool.content.push_back(std::move(block));
      }
    }
  }
  return broken;
}

void add_file_links(ToolResult& tool, const ExecutionResult& result) {
  std::size_t links = 0;
  for (const auto* files : {&result.files.created, &result.files.changed}) {
    for (const auto& file : *files) {
      if (++links > kMaxFileLinks) return;
      tool.content.push_back(
          link_block(file_uri(result.session_id, file.path), file.path, file.mime, file.size));
    }
  }
}

/// A link to the whole of a stream that was cut, and how to read it.
void add_output_link(ToolResult& tool, const ExecutionResult& result, OutputStream stream) {
  const auto& cut = stream == OutputStream::out ? result.out_truncated : result.err_truncated;
  if (!cut) return;
  const std::string name = stream == OutputStream::out ? "stdout" : "stderr";
  tool.content.push_back(link_block(output_uri(result.session_id, result.execution_id, stream),
                                    name + " of " + result.execution_id, "text/plain",
                                    cut->total_bytes));
  add_note(tool, "Of " + name + " " + std::to_string(cut->omitted_bytes) + " of " +
                     std::to_string(cut->total_bytes) +
                     " bytes were left out: read_output with "
                     "execution_id " +
                     result.execution_id + " and stream " + name + " gives them.");
}

}  // namespace

ToolResult to_tool_result(const ExecutionResult& result, const SecurityPolicy& policy) {
  ToolResult tool;
  tool.is_error = !went_well(result);
  tool.content.push_back(text_block(result.to_model_text(tool::model_text_budget(policy))));
  const std::size_t broken = add_pictures(tool, result);
  add_file_links(tool, result);
  add_output_link(tool, result, OutputStream::out);
  add_output_link(tool, result, OutputStream::err);
  if (broken > 0) {
    add_note(tool, "Left out: " + std::to_string(broken) +
                       " image(s) that are no valid PNG, JPEG, GIF or WebP.");
  }
  if (result.policy_events.contains("timeout_clamped")) {
    add_note(tool, "timeout_seconds was more than this server allows; the limit was " +
                       tool::duration_text(policy.timeout) + ".");
  }
  tool.structured = tool::structured_result(result);
  return tool;
}

}  // namespace cellblock::mcp

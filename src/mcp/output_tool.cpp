// read_output: what of an execution's output did not fit into its result.
#include <utility>

#include "mcp/content.hpp"
#include "mcp/tool_words.hpp"

namespace cellblock::mcp {
namespace {

constexpr Bytes kDefaultLimit = 16'384;
constexpr Bytes kMaxLimit = 262'144;

ToolResult read(const SessionHandle& session, const OutputQuery& query) {
  auto page = session->session().output(query);
  if (!page) return refused(page.error());
  ToolResult result;
  result.content.push_back(text_block(page->text));
  if (page->next_offset < page->total_bytes) {
    add_note(result, std::string(query.pattern ? "The search went" : "This goes") + " up to byte " +
                         std::to_string(page->next_offset) + " of " +
                         std::to_string(page->total_bytes) + "; go on with offset " +
                         std::to_string(page->next_offset) + ".");
  } else if (page->text.empty()) {
    add_note(result,
             query.pattern ? "No line from there to the end matches." : "There is nothing more.");
  }
  result.structured = {{"session_id", session->session().id()},
                       {"execution_id", query.execution_id},
                       {"stream", query.stream == OutputStream::out ? "stdout" : "stderr"},
                       {"text", page->text},
                       {"next_offset", page->next_offset},
                       {"total_bytes", page->total_bytes}};
  return result;
}

}  // namespace

Json define_read_output(const tool::Facts& facts) {
  const Json count{{"type", "integer"}, {"minimum", 0}};
  Json limit = described("integer", "How many bytes of text at most; 16384 when left out.");
  limit["minimum"] = 1;
  limit["maximum"] = kMaxLimit;
  Json offset = described("integer", "Where to begin, in bytes; 0 when left out.");
  offset["minimum"] = 0;
  return define(
      facts, {.name = "read_output",
              .title = "Read long output",
              .description =
                  "Page through what an earlier execute_python call printed, beyond what its "
                  "result shows, or search it: with pattern only the lines that match come back, "
                  "wherever they stand from offset on.",
              .properties = {{"execution_id",
                              described("string", "From the result of that execute_python call.")},
                             {"stream", {{"enum", {"stdout", "stderr"}}, {"default", "stdout"}}},
                             {"offset", std::move(offset)},
                             {"limit", std::move(limit)},
                             {"pattern", described("string", "An ECMAScript regular expression.")}},
              .required = Json::array({"execution_id"}),
              .output = {{"execution_id", {{"type", "string"}}},
                         {"stream", {{"enum", {"stdout", "stderr"}}}},
                         {"text", {{"type", "string"}}},
                         {"next_offset", count},
                         {"total_bytes", count}}});
}

PreparedTool read_output(Engine& engine, const RequestHandle& request, rpc::Params& arguments) {
  OutputQuery query;
  query.execution_id = arguments.string("execution_id");
  query.stream = arguments.choice("stream", {"stdout", "stderr"}) == "stdout" ? OutputStream::out
                                                                              : OutputStream::err;
  query.offset = arguments.optional_count("offset").value_or(0);
  query.limit = arguments.optional_count("limit").value_or(kDefaultLimit);
  query.pattern = arguments.optional_string("pattern");
  if (query.limit == 0 || query.limit > kMaxLimit) {
    arguments.refuse("limit", "must be from 1 to " + std::to_string(kMaxLimit));
  }
  auto session = existing_target(engine, arguments, "output you want");
  if (!session) return std::move(session).error();
  return in_session(engine, request, std::move(*session),
                    [request, query](const SessionHandle& opened) {
                      if (!request->call->make_room(query.limit)) return no_room();
                      return read(opened, query);
                    });
}

}  // namespace cellblock::mcp

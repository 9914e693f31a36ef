// upload_file, download_file and list_files: the session's workspace.
#include <algorithm>
#include <string_view>
#include <utility>

#include "base/base64.hpp"
#include "base/terminal_text.hpp"
#include "base/utf8.hpp"
#include "mcp/content.hpp"
#include "mcp/resource_uri.hpp"
#include "mcp/tool_words.hpp"
#include "tool/limits_text.hpp"

namespace cellblock::mcp {
namespace {

constexpr Bytes kDefaultPiece = 262'144;
constexpr Bytes kMaxPiece = 4U << 20;
constexpr std::size_t kMaxLinks = 100;

Json path_property() {
  return described("string",
                   "Below the session's working folder, with / between the parts; relative to "
                   "it, or absolute as the code has it.");
}

// --- upload_file ------------------------------------------------------------------------------

struct Upload {
  std::string path;
  std::string bytes;
  bool append = false;
};

ToolResult upload(const SessionHandle& session, const Upload& file) {
  Session& target = session->session();
  auto written =
      file.append ? target.append(file.path, file.bytes) : target.upload(file.path, file.bytes);
  if (!written) return refused(written.error());
  ToolResult result;
  const std::string uri = file_uri(target.id(), *written);
  result.content.push_back(text_block((file.append ? "Added " : "Wrote ") +
                                      std::to_string(file.bytes.size()) + " bytes; the path is " +
                                      base::terminal_safe_line(*written) + " and the session_id " +
                                      target.id() + "."));
  result.structured = {
      {"session_id", target.id()}, {"path", *written}, {"bytes", file.bytes.size()}, {"uri", uri}};
  return result;
}

// --- download_file ----------------------------------------------------------------------------

struct Piece {
  std::string path;
  Bytes offset = 0;
  Bytes limit = kDefaultPiece;
};

/// A piece of a text ends where a character does: the next one is text, too.
void cut_at_character(const std::string& mime, std::string& bytes) {
  const std::size_t whole = bytes.size() - base::incomplete_tail(bytes);
  if (whole > 0 && is_text(mime, std::string_view(bytes).substr(0, whole))) bytes.resize(whole);
}

ToolResult download(LiveCall& call, const SessionHandle& session, const Piece& piece) {
  Session& source = session->session();
  const auto file = source.stat(piece.path);
  if (!file) return refused(file.error());
  if (!call.make_room(std::min(file->size, piece.limit + 1))) return no_room();
  // One byte more than asked for tells whether this is the end.
  auto bytes = source.download(piece.path, piece.offset, piece.limit + 1);
  if (!bytes) return refused(bytes.error());
  const bool at_end = bytes->size() <= piece.limit;
  if (!at_end) bytes->resize(piece.limit);
  if (!at_end) cut_at_character(file->mime, *bytes);
  const Bytes next = piece.offset + bytes->size();
  const std::string uri = file_uri(source.id(), file->path);

  ToolResult result;
  const bool text = is_text(file->mime, *bytes);
  const bool whole = at_end && piece.offset == 0;
  if (text) {
    result.content.push_back(text_block(*bytes));
  } else if (Json image = whole ? image_block(file->mime, *bytes) : Json(); !image.is_null()) {
    result.content.push_back(std::move(image));
  } else {
    result.content.push_back(
        {{"type", "resource"}, {"resource", resource_contents(uri, file->mime, *bytes)}});
  }
  if (!at_end) {
    add_note(result, "This goes up to byte " + std::to_string(next) + " of " +
                         std::to_string(file->size) + "; go on with offset " +
                         std::to_string(next) + ".");
  }
  result.structured = {{"session_id", source.id()},
                       {"path", file->path},
                       {"mime", file->mime},
                       {"encoding", text ? "utf-8" : "base64"},
                       {"data", text ? *bytes : base::base64_encode(*bytes)},
                       {"next_offset", next},
                       {"at_end", at_end}};
  return result;
}

// --- list_files -------------------------------------------------------------------------------

ToolResult list(const SessionHandle& session) {
  Session& source = session->session();
  auto files = source.files();
  if (!files) return refused(files.error());
  ToolResult result;
  std::string lines = files->empty() ? "The working folder is empty." : "";
  Json list = Json::array();
  Json links = Json::array();
  for (const auto& file : *files) {
    const std::string uri = file_uri(source.id(), file.path);
    if (links.size() < kMaxLinks) {
      lines.append(lines.empty() ? "" : "\n").append(base::terminal_safe_line(file.path));
      lines.append(" (" + std::to_string(file.size) + " bytes)");
      links.push_back(link_block(uri, file.path, file.mime, file.size));
    }
    list.push_back({{"path", file.path}, {"size", file.size}, {"mime", file.mime}, {"uri", uri}});
  }
  if (files->size() > kMaxLinks) {
    lines += "\nand " + std::to_string(files->size() - kMaxLinks) + " more";
  }
  result.content.push_back(text_block(lines));
  for (auto& link : links) result.content.push_back(std::move(link));
  result.structured = {{"session_id", source.id()}, {"files", std::move(list)}};
  return result;
}

}  // namespace

Json define_upload_file(const tool::Facts& facts) {
  return define(
      facts,
      {.name = "upload_file",
       .title = "Upload a file",
       .description = "Write a file into the session's working folder: content for text, or "
                      "data_base64 for anything else. Send a large file in pieces with append, "
                      "each after the answer to the one before.",
       .effect = Effect::destroys,
       .properties = {{"path", path_property()},
                      {"content", described("string", "The file's text.")},
                      {"data_base64", described("string", "The file's bytes in base64.")},
                      {"append", described("boolean", "Add to the file instead of replacing it.")}},
       .required = Json::array({"path"}),
       .output = {{"path", described("string", "The path to use in code.")},
                  {"bytes", {{"type", "integer"}, {"minimum", 0}}},
                  {"uri", {{"type", "string"}}}}});
}

PreparedTool upload_file(Engine& engine, const RequestHandle& request, rpc::Params& arguments) {
  Upload file{.path = arguments.string("path")};
  auto content = arguments.optional_string("content");
  auto data = arguments.optional_string("data_base64");
  file.append = arguments.optional_flag("append").value_or(false);
  if (content.has_value() == data.has_value()) {
    arguments.refuse("content", "or \"data_base64\" is needed, one of them");
  }
  if (content) file.bytes = *std::move(content);
  if (data) {
    auto bytes = base::base64_decode(*data);
    if (!bytes) arguments.refuse("data_base64", "must be base64 with its padding");
    file.bytes = std::move(bytes).value_or("");
  }
  auto session = target(engine, arguments);
  if (!session) return std::move(session).error();
  return in_session(
      engine, request, std::move(*session),
      [file = std::move(file)](const SessionHandle& opened) { return upload(opened, file); });
}

Json define_download_file(const tool::Facts& facts) {
  Json offset = described("integer", "Where to begin, in bytes; 0 when left out.");
  offset["minimum"] = 0;
  Json limit = described(
      "integer", "How many bytes at most; " + std::to_string(kDefaultPiece) + " when left out.");
  limit["minimum"] = 1;
  limit["maximum"] = kMaxPiece;
  return define(
      facts,
      {.name = "download_file",
       .title = "Download a file",
       .description = "Read a file of the session's working folder: text as text, a picture as an "
                      "image, anything else in base64. A large file comes in pieces.",
       .properties = {{"path", path_property()},
                      {"offset", std::move(offset)},
                      {"limit", std::move(limit)}},
       .required = Json::array({"path"}),
       .output = {{"path", {{"type", "string"}}},
                  {"mime", {{"type", "string"}}},
                  {"encoding", {{"enum", {"utf-8", "base64"}}}},
                  {"data", {{"type", "string"}}},
                  {"next_offset", {{"type", "integer"}, {"minimum", 0}}},
                  {"at_end", {{"type", "boolean"}}}}});
}

PreparedTool download_file(Engine& engine, const RequestHandle& request, rpc::Params& arguments) {
  Piece piece{.path = arguments.string("path")};
  piece.offset = arguments.optional_count("offset").value_or(0);
  piece.limit = arguments.optional_count("limit").value_or(kDefaultPiece);
  if (piece.limit == 0 || piece.limit > kMaxPiece) {
    arguments.refuse("limit", "must be from 1 to " + std::to_string(kMaxPiece));
  }
  auto session = existing_target(engine, arguments, "files you want");
  if (!session) return std::move(session).error();
  return in_session(engine, request, std::move(*session),
                    [request, piece = std::move(piece)](const SessionHandle& opened) {
                      return download(*request->call, opened, piece);
                    });
}

Json define_list_files(const tool::Facts& facts) {
  Json file{{"type", "object"},
            {"properties",
             {{"path", {{"type", "string"}}},
              {"size", {{"type", "integer"}, {"minimum", 0}}},
              {"mime", {{"type", "string"}}},
              {"uri", {{"type", "string"}}}}},
            {"required", {"path", "size", "mime", "uri"}}};
  return define(facts, {.name = "list_files",
                        .title = "List files",
                        .description = "List the files of the session's working folder.",
                        .output = {{"files", {{"type", "array"}, {"items", std::move(file)}}}}});
}

PreparedTool list_files(Engine& engine, const RequestHandle& request, rpc::Params& arguments) {
  auto session = existing_target(engine, arguments, "files you want");
  if (!session) return std::move(session).error();
  return in_session(engine, request, std::move(*session), list);
}

}  // namespace cellblock::mcp

// resources/list, resources/templates/list and resources/read.
#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/terminal_text.hpp"
#include "mcp/content.hpp"
#include "mcp/meta.hpp"
#include "mcp/methods.hpp"
#include "mcp/resource_uri.hpp"
#include "rpc/answer_room.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::size_t kPage = 500;
constexpr Bytes kMaxFile = 8U << 20;
constexpr Bytes kMaxOutput = 1U << 20;

Refusal not_found(const Dialect& dialect, const std::string& uri, const std::string& message) {
  return {dialect.era == Era::stateless ? kInvalidParams : kResourceNotFound,
          base::terminal_safe_line(message),
          {{"uri", uri}}};
}

/// A cursor is the index of the first file of the page.
std::optional<std::size_t> read_cursor(const rpc::Json& params) {
  const auto cursor = params.find("cursor");
  if (cursor == params.end()) return 0;
  if (!cursor->is_string()) return std::nullopt;
  const auto& text = cursor->get_ref<const std::string&>();
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Outcome list_files(const SessionHandle& session, const Dialect& dialect, std::size_t first) {
  Json resources = Json::array();
  Json result{{"resources", nullptr}};
  if (session) {
    auto files = session->session().files();
    if (!files) return Refusal{kInternalError, files.error().message};
    const std::size_t end = std::min(files->size(), first + std::min(kPage, files->size()));
    for (std::size_t i = first; i < end; ++i) {
      const FileInfo& file = (*files)[i];
      resources.push_back({{"uri", file_uri(session->session().id(), file.path)},
                           {"name", base::terminal_safe_line(file.path)},
                           {"mimeType", file.mime},
                           {"size", file.size}});
    }
    if (end < files->size()) result["nextCursor"] = std::to_string(end);
  }
  result["resources"] = std::move(resources);
  return cacheable(dialect, std::move(result), 0, CacheScope::caller);
}

Outcome read_file(const SessionHandle& session, const Request& request, const std::string& uri,
                  const ResourceUri& wanted) {
  const Dialect& dialect = request.dialect;
  Session& source = session->session();
  const auto file = source.stat(wanted.path);
  if (!file && file.error().kind == ErrorKind::bad_argument) {
    return not_found(dialect, uri,
                     "The session has no file \"" + wanted.path.substr(0, 200) + "\".");
  }
  if (!file) return Refusal{kInternalError, file.error().message};
  if (!request.call->make_room(std::min(file->size, kMaxFile + 1))) {
    return Refusal{kInternalError, rpc::kNoRoom};
  }
  // It may grow meanwhile.
  auto bytes = source.download(wanted.path, 0, kMaxFile + 1);
  if (!bytes) return not_found(dialect, uri, bytes.error().message);
  if (bytes->size() > kMaxFile) {
    return Refusal{kInvalidParams,
                   "The file is larger than 8 MiB: read it in pieces with the tool "
                   "download_file."};
  }
  return cacheable(dialect,
                   {{"contents", Json::array({resource_contents(uri, file->mime, *bytes)})}}, 0,
                   CacheScope::caller);
}

Outcome read_output(const SessionHandle& session, const Request& request, const std::string& uri,
                    const ResourceUri& wanted) {
  const Dialect& dialect = request.dialect;
  if (!request.call->make_room(kMaxOutput)) return Refusal{kInternalError, rpc::kNoRoom};
  auto page = session->session().output({.execution_id = wanted.execution_id,
                                         .stream = wanted.stream,
                                         .offset = wanted.offset,
                                         .limit = kMaxOutput});
  if (!page) return not_found(dialect, uri, page.error().message);
  Json contents = resource_contents(uri, "text/plain", page->text);
  contents["_meta"] = {{kNextOffsetKey, page->next_offset}, {kTotalBytesKey, page->total_bytes}};
  return cacheable(dialect, {{"contents", Json::array({std::move(contents)})}}, 0,
                   CacheScope::caller);
}

Json resource_template(std::string_view uri, std::string_view name, std::string_view description) {
  return {{"uriTemplate", uri}, {"name", name}, {"description", description}};
}

}  // namespace

Prepared resources_list(Engine& engine, const RequestHandle& request) {
  const auto first = read_cursor(request->params());
  if (!first) return Outcome(Refusal{kInvalidParams, "The cursor is none of resources/list."});
  return Work([&engine, request, first = *first] {
    // Sessions are known by their ids alone: those of others are nobody's to list.
    return list_files(engine.sessions().own_if_open(), request->dialect, first);
  });
}

Prepared resource_templates_list(Engine& /*engine*/, const RequestHandle& request) {
  if (auto wrong = refuse_cursor(*request)) return Outcome(*std::move(wrong));
  return Outcome(
      cacheable(request->dialect,
                {{"resourceTemplates",
                  {resource_template(kFileTemplate, "workspace file",
                                     "A file of a session's working folder."),
                   resource_template(kOutputTemplate, "output",
                                     "What an execution printed: stream is stdout or stderr.")}}},
                kStableTtlMs, CacheScope::everybody));
}

Prepared resources_read(Engine& engine, const RequestHandle& request) {
  const auto given = request->params().find("uri");
  if (given == request->params().end() || !given->is_string()) {
    return Outcome(Refusal{kInvalidParams, "resources/read needs \"uri\", a string."});
  }
  const auto uri = given->get<std::string>();
  const auto wanted = parse_uri(uri);
  if (!wanted) {
    return Outcome(not_found(request->dialect, uri,
                             "That is no address of this server; resources/templates/list has "
                             "their form."));
  }
  return Work([&engine, request, uri, wanted = *wanted]() -> Outcome {
    auto session = engine.sessions().find(wanted.session_id);
    if (!session) return not_found(request->dialect, uri, session.error().message);
    return wanted.path.empty() ? read_output(*session, *request, uri, wanted)
                               : read_file(*session, *request, uri, wanted);
  });
}

}  // namespace cellblock::mcp

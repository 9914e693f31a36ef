#include "protocol/messages.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace cellblock::protocol {
namespace {

using Json = nlohmann::json;

/// Decodes with `read`, which may throw nlohmann's exceptions on a wrong type or missing field.
template <class Read>
auto decode_with(std::string_view bytes, const Read& read)
    -> Expected<std::invoke_result_t<Read, Json&>> {
  auto body = decode_body(bytes);
  if (!body) return std::move(body).error();
  try {
    if (!body->is_object()) {
      return Error{ErrorKind::bad_argument, "The peer sent a message body that is no map."};
    }
    return read(*body);
  } catch (const std::exception& problem) {
    return Error{ErrorKind::bad_argument,
                 std::string("The peer sent a message body that does not fit: ") + problem.what()};
  }
}

std::string take_string(Json& object, const char* key) {
  Json& value = object.at(key);
  return std::move(value.get_ref<std::string&>());
}

/// Missing or null: empty.
std::string take_optional_string(Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  return std::move(found->get_ref<std::string&>());
}

/// Missing: none.
std::vector<std::string> take_imports(Json& object) {
  const auto found = object.find("imports");
  if (found == object.end()) return {};
  auto imports = found->get<std::vector<std::string>>();
  const bool fits = imports.size() <= kMostImports &&
                    std::all_of(imports.begin(), imports.end(), [](const std::string& statement) {
                      return statement.size() <= kLongestImport;
                    });
  if (!fits) throw std::invalid_argument("there are too many imports");
  return imports;
}

/// Whole and within the type: to convert a float that is beyond it would be undefined behaviour.
template <class Int>
Int to_integer(const Json& value) {
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<Int>(value.get_ref<const Json::number_unsigned_t&>())
                        : value.is_number_integer() &&
                              std::in_range<Int>(value.get_ref<const Json::number_integer_t&>());
  if (!fits) throw std::invalid_argument("a number is not whole or out of range");
  return value.get<Int>();
}

template <class Enum, std::size_t n>
Enum to_enum(std::string_view name, const std::array<Enum, n>& values) {
  const auto* found = std::find_if(values.begin(), values.end(),
                                   [&](Enum value) { return to_string(value) == name; });
  if (found == values.end()) {
    throw std::invalid_argument("unknown name \"" + std::string(name) + "\"");
  }
  return *found;
}

// A session reports only what it can know about itself; the rest is the host's to say.
constexpr std::array kSessionStatuses{Status::ok, Status::error, Status::exit, Status::memory_limit,
                                      Status::cpu_limit};
constexpr std::array kSessionCauses{Cause::exception,     Cause::syntax,    Cause::import_refused,
                                    Cause::exit,          Cause::cpu_time,  Cause::memory,
                                    Cause::processes,     Cause::threads,   Cause::open_files,
                                    Cause::file_size,     Cause::disk_full, Cause::denied_syscall,
                                    Cause::stack_overflow};

std::vector<Variable> read_variables(Json& list) {
  std::vector<Variable> variables;
  variables.reserve(list.size());
  for (Json& item : list.get_ref<Json::array_t&>()) {
    variables.push_back({.name = take_string(item, "name"),
                         .type = take_string(item, "type"),
                         .summary = take_string(item, "summary")});
  }
  return variables;
}

std::vector<VariableChange> read_changes(Json& changes, const char* key) {
  std::vector<VariableChange> list;
  for (Json& item : changes.at(key).get_ref<Json::array_t&>()) {
    list.push_back({.name = take_string(item, "name"),
                    .type = take_optional_string(item, "type"),
                    .summary = take_optional_string(item, "summary"),
                    .detail = take_optional_string(item, "detail")});
  }
  return list;
}

/// Missing: none.
std::map<std::string, std::uint64_t> read_policy_events(const Json& body) {
  std::map<std::string, std::uint64_t> events;
  const auto found = body.find("policy_events");
  if (found == body.end()) return events;
  if (found->size() > ExecuteReply::kMostPolicyEvents) {
    throw std::invalid_argument("too many policy events");
  }
  for (const auto& [name, count] : found->get_ref<const Json::object_t&>()) {
    events.emplace(name.substr(0, 100), to_integer<std::uint64_t>(count));
  }
  return events;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::vector<Helper> read_helpers(Json& list) {
  std::vector<Helper> helpers;
  for (Json& item : list.get_ref<Json::array_t&>()) {
    helpers.push_back({.name = take_string(item, "name"),
                       .signature = take_string(item, "signature"),
                       .doc = take_string(item, "doc")});
  }
  return helpers;
}

bool is_json(std::string_view type) {
  return type == "application/json" || type.ends_with("+json");
}

std::optional<std::uint64_t> read_limit(const Json& object, const char* key) {
  const Json& value = object.at(key);
  if (value.is_null()) return std::nullopt;
  return to_integer<std::uint64_t>(value);
}

}  // namespace

std::string ZygoteReady::encode() const {
  Json list = Json::array();
  for (const Helper& helper : helpers) {
    list.push_back({{"name", helper.name}, {"signature", helper.signature}, {"doc", helper.doc}});
  }
  return encode_body({{"python_version", python_version},
                      {"python_executable", python_executable},
                      {"loaded", loaded},
                      {"missing", missing},
                      {"helpers", std::move(list)},
                      {"installed", installed},
                      {"cages", cages},
                      {"cages_detail", cages_detail},
                      {"mounts", mounts}});
}

Expected<ZygoteReady> ZygoteReady::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return ZygoteReady{.python_version = take_string(body, "python_version"),
                       .python_executable = take_string(body, "python_executable"),
                       .loaded = body.at("loaded").get<std::map<std::string, std::string>>(),
                       .missing = body.at("missing").get<std::map<std::string, std::string>>(),
                       .helpers = read_helpers(body.at("helpers")),
                       .installed = body.at("installed").get<std::vector<std::string>>(),
                       .cages = body.at("cages").get<bool>(),
                       .cages_detail = take_string(body, "cages_detail"),
                       .mounts = body.at("mounts").get<bool>()};
  });
}

std::string ZygoteFailed::encode() const { return encode_body({{"message", message}}); }

Expected<ZygoteFailed> ZygoteFailed::decode(std::string_view bytes) {
  return decode_with(
      bytes, [](Json& body) { return ZygoteFailed{.message = take_string(body, "message")}; });
}

std::string SessionConfig::encode() const {
  return encode_body({{"workspace", workspace},
                      {"env", env},
                      {"allowed_imports", allowed_imports},
                      {"import_guard", import_guard},
                      {"interpreter", interpreter},
                      {"max_text_bytes", max_text_bytes},
                      {"max_result_bytes", max_result_bytes},
                      {"end_threads_ms", end_threads_ms},
                      {"notes_imports", notes_imports}});
}

Expected<SessionConfig> SessionConfig::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return SessionConfig{
        .workspace = take_string(body, "workspace"),
        .env = body.at("env").get<std::map<std::string, std::string>>(),
        .allowed_imports = body.at("allowed_imports").get<std::vector<std::string>>(),
        .import_guard = take_string(body, "import_guard"),
        .interpreter = take_string(body, "interpreter"),
        .max_text_bytes = to_integer<std::uint64_t>(body.at("max_text_bytes")),
        .max_result_bytes = to_integer<std::uint64_t>(body.at("max_result_bytes")),
        .end_threads_ms = to_integer<std::uint64_t>(body.at("end_threads_ms")),
        .notes_imports = body.at("notes_imports").get<bool>()};
  });
}

bool ForkRequest::is_switched_off(std::string_view layer) const {
  return std::find(switched_off.begin(), switched_off.end(), layer) != switched_off.end();
}

std::string ForkRequest::encode() const {
  return encode_body({{"mode", mode == ForkMode::bare ? "bare" : "cage"},
                      {"cgroups", cgroups},
                      {"limits",
                       {{"data_bytes", or_null(limits.data_bytes)},
                        {"open_files", or_null(limits.open_files)},
                        {"file_bytes", or_null(limits.file_bytes)},
                        {"processes", or_null(limits.processes)},
                        {"tasks", or_null(limits.tasks)}}},
                      {"workspace",
                       {{"folder", workspace.folder},
                        {"bytes", or_null(workspace.bytes)},
                        {"files", or_null(workspace.files)}}},
                      {"read_paths", read_paths},
                      {"switched_off", switched_off},
                      {"failing_step", failing_step},
                      {"config", config}});
}

Expected<ForkRequest> ForkRequest::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    const Json& limits = body.at("limits");
    Json& workspace = body.at("workspace");
    return ForkRequest{.mode = body.at("mode") == "bare" ? ForkMode::bare : ForkMode::cage,
                       .cgroups = to_integer<std::uint8_t>(body.at("cgroups")),
                       .limits = {.data_bytes = read_limit(limits, "data_bytes"),
                                  .open_files = read_limit(limits, "open_files"),
                                  .file_bytes = read_limit(limits, "file_bytes"),
                                  .processes = read_limit(limits, "processes"),
                                  .tasks = read_limit(limits, "tasks")},
                       .workspace = {.folder = take_string(workspace, "folder"),
                                     .bytes = read_limit(workspace, "bytes"),
                                     .files = read_limit(workspace, "files")},
                       .read_paths = body.at("read_paths").get<std::vector<std::string>>(),
                       .switched_off = body.at("switched_off").get<std::vector<std::string>>(),
                       .failing_step = take_string(body, "failing_step"),
                       .config = take_string(body, "config")};
  });
}

std::string ForkReply::encode() const { return encode_body({{"error", error}}); }

Expected<ForkReply> ForkReply::decode(std::string_view bytes) {
  return decode_with(bytes,
                     [](Json& body) { return ForkReply{.error = take_string(body, "error")}; });
}

std::string SessionExited::encode() const {
  return encode_body(
      {{"wait_status", wait_status}, {"cpu_us", cpu_us}, {"max_rss_bytes", max_rss_bytes}});
}

Expected<SessionExited> SessionExited::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return SessionExited{.wait_status = to_integer<int>(body.at("wait_status")),
                         .cpu_us = to_integer<std::uint64_t>(body.at("cpu_us")),
                         .max_rss_bytes = to_integer<std::uint64_t>(body.at("max_rss_bytes"))};
  });
}

std::string SessionReady::encode() const {
  Json list = Json::array();
  for (const Layer& layer : layers) {
    list.push_back({{"name", layer.name}, {"on", layer.on}, {"detail", layer.detail}});
  }
  return encode_body({{"layers", std::move(list)}});
}

Expected<SessionReady> SessionReady::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    SessionReady ready;
    for (Json& layer : body.at("layers").get_ref<Json::array_t&>()) {
      ready.layers.push_back({.name = take_string(layer, "name"),
                              .on = layer.at("on").get<bool>(),
                              .detail = take_string(layer, "detail")});
    }
    return ready;
  });
}

std::string SessionFailed::encode() const { return encode_body({{"message", message}}); }

Expected<SessionFailed> SessionFailed::decode(std::string_view bytes) {
  return decode_with(
      bytes, [](Json& body) { return SessionFailed{.message = take_string(body, "message")}; });
}

std::string ExecuteRequest::encode() const {
  nlohmann::json body{{"code", code}, {"execution_count", execution_count}};
  if (!imports.empty()) body["imports"] = imports;
  return encode_body(body);
}

Expected<ExecuteRequest> ExecuteRequest::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return ExecuteRequest{.code = take_string(body, "code"),
                          .execution_count = to_integer<std::uint64_t>(body.at("execution_count")),
                          .imports = take_imports(body)};
  });
}

std::string CodeRequest::encode() const {
  return encode_body({{"code", code}, {"cursor", cursor}});
}

Expected<CodeRequest> CodeRequest::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return CodeRequest{.code = take_string(body, "code"),
                       .cursor = to_integer<std::uint64_t>(body.at("cursor"))};
  });
}

Expected<ExecuteReply> ExecuteReply::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    ExecuteReply reply;
    reply.status = to_enum(take_string(body, "status"), kSessionStatuses);
    if (const std::string cause = take_optional_string(body, "cause"); !cause.empty()) {
      reply.cause = to_enum(cause, kSessionCauses);
    }
    reply.exit_code = to_integer<int>(body.at("exit_code"));
    reply.interrupted = body.at("interrupted").get<bool>();
    if (Json& text = body.at("text"); !text.is_null()) {
      reply.text = std::move(text.get_ref<std::string&>());
    }
    if (Json& error = body.at("error"); !error.is_null()) {
      reply.error = ExecutionError{.name = take_string(error, "name"),
                                   .value = take_string(error, "value"),
                                   .traceback = take_string(error, "traceback"),
                                   .hint = take_optional_string(error, "hint")};
    }
    if (Json& list = body.at("variables"); !list.is_null()) reply.variables = read_variables(list);
    Json& changes = body.at("changes");
    reply.changes = {.added = read_changes(changes, "added"),
                     .changed = read_changes(changes, "changed"),
                     .removed = read_changes(changes, "removed")};
    reply.threads = to_integer<std::uint64_t>(body.at("threads"));
    reply.imports = take_imports(body);
    reply.cpu_us = to_integer<std::uint64_t>(body.at("cpu_us"));
    reply.max_rss_bytes = to_integer<std::uint64_t>(body.at("max_rss_bytes"));
    reply.policy_events = read_policy_events(body);
    return reply;
  });
}

Expected<DisplayData> decode_display(std::string_view body, std::vector<std::string> attachments) {
  return decode_with(body, [&](Json& value) {
    DisplayData data;
    data.is_main_result = value.at("is_main_result").get<bool>();
    for (auto& [type, content] : value.at("mime").get_ref<Json::object_t&>()) {
      // JSON content comes as a value, everything else as text.
      data.mime.push_back(
          {.type = type,
           .data = content.is_string() && !is_json(type)
                       ? std::move(content.get_ref<std::string&>())
                       : content.dump(-1, ' ', false, Json::error_handler_t::replace)});
    }
    const Json& types = value.at("attachments");
    for (std::size_t i = 0; i < std::min(types.size(), attachments.size()); ++i) {
      data.mime.push_back(
          {.type = types.at(i).get<std::string>(), .data = std::move(attachments[i])});
    }
    if (const Json& chart = value.at("chart"); !chart.is_null()) {
      data.chart_json = chart.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    data.display_id = take_optional_string(value, "display_id");
    const std::string operation = take_optional_string(value, "operation");
    if (operation == "update") data.operation = DisplayData::Operation::update;
    if (operation == "clear") data.operation = DisplayData::Operation::clear;
    return data;
  });
}

Expected<std::vector<Variable>> decode_variables(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) { return read_variables(body.at("variables")); });
}

Expected<CompleteReply> CompleteReply::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return CompleteReply{.matches = body.at("matches").get<std::vector<std::string>>(),
                         .start = to_integer<std::uint64_t>(body.at("start")),
                         .end = to_integer<std::uint64_t>(body.at("end"))};
  });
}

Expected<InspectReply> InspectReply::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return InspectReply{.found = body.at("found").get<bool>(),
                        .text = take_optional_string(body, "text")};
  });
}

Expected<IsCompleteReply> IsCompleteReply::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return IsCompleteReply{.status = take_string(body, "status"),
                           .indent = take_optional_string(body, "indent")};
  });
}

}  // namespace cellblock::protocol

// The messages of executions and of questions to a session.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "protocol/message_fields.hpp"

namespace cellblock::protocol {
namespace {

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

bool is_json(std::string_view type) {
  return type == "application/json" || type.ends_with("+json");
}

}  // namespace

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

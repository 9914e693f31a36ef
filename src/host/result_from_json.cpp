// The JSON form of a result, read back: what to_json wrote, here or elsewhere.
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "cellblock/result.hpp"
#include "host/mime_kinds.hpp"

namespace cellblock {
namespace {

using Json = nlohmann::ordered_json;

/// What is wrong with the text, for one sentence.
struct Wrong {
  std::string what;
};

const Json& member(const Json& json, const char* name) {
  static const Json nothing;
  if (!json.is_object()) throw Wrong{"an object is missing around \"" + std::string(name) + "\""};
  const auto found = json.find(name);
  return found == json.end() ? nothing : *found;
}

/// The member, or `value` where it is missing or null.
template <class T>
void read(const Json& json, const char* name, T& value) {
  const Json& found = member(json, name);
  if (found.is_null()) return;
  try {
    value = found.get<T>();
  } catch (const Json::exception&) {
    throw Wrong{"\"" + std::string(name) + "\" has another type"};
  }
}

/// `last` is the enum's last value; they count from 0.
template <class Enum>
std::optional<Enum> read_enum(const Json& json, const char* name, Enum last) {
  std::string text;
  read(json, name, text);
  if (text.empty()) return std::nullopt;
  for (int number = 0; number <= static_cast<int>(last); ++number) {
    if (const auto value = static_cast<Enum>(number); to_string(value) == text) return value;
  }
  throw Wrong{"\"" + std::string(name) + "\" has no value \"" + text + "\""};
}

template <class T, class Read>
std::vector<T> read_list(const Json& json, const char* name, const Read& read_one) {
  std::vector<T> list;
  const Json& found = member(json, name);
  if (!found.is_null() && !found.is_array()) {
    throw Wrong{"\"" + std::string(name) + "\" is no list"};
  }
  for (const Json& item : found) list.push_back(read_one(item));
  return list;
}

DisplayData::Mime read_mime(const std::string& type, const Json& data) {
  if (host::is_json_type(type)) {
    return {.type = type, .data = data.dump()};
  }
  if (!data.is_string()) throw Wrong{"the data of \"" + type + "\" is no text"};
  if (host::is_text_type(type)) return {.type = type, .data = data.get<std::string>()};
  auto bytes = base::base64_decode(data.get_ref<const std::string&>());
  if (!bytes) throw Wrong{"the data of \"" + type + "\" is no base64"};
  return {.type = type, .data = *std::move(bytes)};
}

DisplayData read_display(const Json& json) {
  DisplayData data;
  read(json, "is_main_result", data.is_main_result);
  const Json& mime = member(json, "mime");
  if (!mime.is_object()) throw Wrong{"\"mime\" is no object"};
  for (const auto& [type, value] : mime.items()) data.mime.push_back(read_mime(type, value));
  if (const Json& chart = member(json, "chart"); !chart.is_null()) data.chart_json = chart.dump();
  read(json, "display_id", data.display_id);
  std::string operation;
  read(json, "operation", operation);
  if (operation == "update") data.operation = DisplayData::Operation::update;
  if (operation == "clear") data.operation = DisplayData::Operation::clear;
  return data;
}

std::optional<ExecutionError> read_error(const Json& json) {
  if (json.is_null()) return std::nullopt;
  ExecutionError error;
  read(json, "name", error.name);
  read(json, "value", error.value);
  read(json, "traceback", error.traceback);
  read(json, "hint", error.hint);
  return error;
}

Variable read_variable(const Json& json) {
  Variable variable;
  read(json, "name", variable.name);
  read(json, "type", variable.type);
  read(json, "summary", variable.summary);
  return variable;
}

VariableChange read_change(const Json& json) {
  VariableChange change;
  read(json, "name", change.name);
  read(json, "type", change.type);
  read(json, "summary", change.summary);
  read(json, "detail", change.detail);
  return change;
}

FileInfo read_file(const Json& json) {
  FileInfo file;
  read(json, "path", file.path);
  read(json, "size", file.size);
  read(json, "mime", file.mime);
  return file;
}

Layer read_layer(const Json& json) {
  Layer layer;
  read(json, "name", layer.name);
  read(json, "on", layer.on);
  read(json, "detail", layer.detail);
  read(json, "remedy", layer.remedy);
  return layer;
}

std::optional<Truncation> read_truncation(const Json& json, const char* stream) {
  if (json.is_null()) return std::nullopt;
  const Json& found = member(json, stream);
  if (found.is_null()) return std::nullopt;
  Truncation cut;
  read(found, "total_bytes", cut.total_bytes);
  read(found, "omitted_bytes", cut.omitted_bytes);
  return cut;
}

/// The named object, or an empty one.
Json part(const Json& json, const char* name) {
  const Json& found = member(json, name);
  return found.is_null() ? Json::object() : found;
}

ExecutionResult read_result(const Json& json) {
  ExecutionResult result;
  read(json, "session_id", result.session_id);
  read(json, "execution_id", result.execution_id);
  read(json, "execution_count", result.execution_count);
  read(json, "code_sha256", result.code_sha256);
  const auto status = read_enum(json, "status", Status::host_error);
  if (!status) throw Wrong{"\"status\" is missing"};
  result.status = *status;
  result.cause = read_enum(json, "cause", Cause::host);
  read(json, "exit_code", result.exit_code);
  read(json, "stdout", result.out);
  read(json, "stderr", result.err);
  result.out_truncated = read_truncation(member(json, "truncated"), "stdout");
  result.err_truncated = read_truncation(member(json, "truncated"), "stderr");
  const Json late = part(json, "late");
  read(late, "stdout", result.late_out);
  read(late, "stderr", result.late_err);
  if (const Json& text = member(json, "text"); !text.is_null()) {
    read(json, "text", result.text.emplace());
  }
  result.results = read_list<DisplayData>(json, "results", read_display);
  result.error = read_error(member(json, "error"));
  result.variables = read_list<Variable>(json, "variables", read_variable);
  read(json, "variables_summary", result.variables_summary);
  const Json changes = part(json, "changes");
  result.changes.added = read_list<VariableChange>(changes, "added", read_change);
  result.changes.changed = read_list<VariableChange>(changes, "changed", read_change);
  result.changes.removed = read_list<VariableChange>(changes, "removed", read_change);
  const Json files = part(json, "files");
  result.files.created = read_list<FileInfo>(files, "created", read_file);
  result.files.changed = read_list<FileInfo>(files, "changed", read_file);
  result.files.deleted = read_list<FileInfo>(files, "deleted", read_file);
  result.state = read_enum(json, "state", State::lost).value_or(State::kept);
  read(json, "lost_names", result.lost_names);
  result.stopped_by = read_enum(json, "stopped_by", StoppedBy::sigkill);
  const Json usage = part(json, "usage");
  read(usage, "wall_ms", result.usage.wall_ms);
  read(usage, "cpu_ms", result.usage.cpu_ms);
  read(usage, "peak_memory_bytes", result.usage.peak_memory_bytes);
  const Json isolation = part(json, "isolation");
  read(isolation, "level", result.isolation.level);
  result.isolation.layers = read_list<Layer>(isolation, "layers", read_layer);
  read(json, "policy_events", result.policy_events);
  const Json trace = part(json, "trace");
  read(trace, "traceparent", result.trace.traceparent);
  read(trace, "request_id", result.trace.request_id);
  read(trace, "tenant", result.trace.tenant);
  return result;
}

}  // namespace

Expected<ExecutionResult> ExecutionResult::from_json(std::string_view json) {
  try {
    return read_result(Json::parse(json));
  } catch (const Wrong& wrong) {
    return Error{ErrorKind::bad_argument,
                 "This is not the JSON form of a result: " + wrong.what + "."};
  } catch (const Json::exception&) {
    return Error{ErrorKind::bad_argument,
                 "This is not the JSON form of a result: it is no valid JSON."};
  }
}

}  // namespace cellblock

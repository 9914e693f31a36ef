// The JSON forms of the public results.
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "cellblock/executor.hpp"
#include "cellblock/result.hpp"
#include "host/mime_kinds.hpp"

namespace cellblock {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// JSON text that a session sent; what cannot be read, or is nested so deeply that to write it
/// again would overrun the stack, stays a string.
Json embedded(const std::string& text) {
  constexpr int kMaxDepth = 64;
  bool too_deep = false;
  const Json::parser_callback_t watch = [&too_deep](int depth, Json::parse_event_t /*event*/,
                                                    Json& /*value*/) {
    too_deep |= depth > kMaxDepth;
    return !too_deep;
  };
  Json value = Json::parse(text, watch, false);
  return value.is_discarded() || too_deep ? Json(text) : value;
}

Json display_json(const DisplayData& data) {
  Json mime = Json::object();
  for (const auto& part : data.mime) {
    if (host::is_json_type(part.type)) {
      mime[part.type] = embedded(part.data);
    } else {
      mime[part.type] = host::is_text_type(part.type) ? part.data : base::base64_encode(part.data);
    }
  }
  Json json{{"is_main_result", data.is_main_result},
            {"mime", std::move(mime)},
            {"chart", data.chart_json.empty() ? Json() : embedded(data.chart_json)}};
  if (!data.display_id.empty()) json["display_id"] = data.display_id;
  if (data.operation == DisplayData::Operation::update) json["operation"] = "update";
  if (data.operation == DisplayData::Operation::clear) json["operation"] = "clear";
  return json;
}

template <class List, class Make>
Json list_json(const List& list, const Make& make) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(make(item));
  return json;
}

Json truncation_json(const std::optional<Truncation>& cut) {
  if (!cut) return nullptr;
  return {{"total_bytes", cut->total_bytes}, {"omitted_bytes", cut->omitted_bytes}};
}

Json error_json(const std::optional<ExecutionError>& error) {
  if (!error) return nullptr;
  return {{"name", error->name},
          {"value", error->value},
          {"traceback", error->traceback},
          {"hint", error->hint.empty() ? Json() : Json(error->hint)}};
}

Json change_json(const VariableChange& change) {
  Json json{{"name", change.name}};
  if (!change.type.empty()) json["type"] = change.type;
  if (!change.summary.empty()) json["summary"] = change.summary;
  if (!change.detail.empty()) json["detail"] = change.detail;
  return json;
}

Json variable_json(const Variable& variable) {
  return {{"name", variable.name}, {"type", variable.type}, {"summary", variable.summary}};
}

Json file_json(const FileInfo& file) {
  return {{"path", file.path}, {"size", file.size}, {"mime", file.mime}};
}

Json isolation_json(const IsolationReport& report) {
  return {{"level", report.level},
          {"layers", list_json(report.layers, [](const Layer& layer) {
             Json json{{"name", layer.name}, {"on", layer.on}, {"detail", layer.detail}};
             if (!layer.remedy.empty()) json["remedy"] = layer.remedy;
             return json;
           })}};
}

Json trace_json(const TraceContext& trace) {
  Json json = Json::object();
  if (!trace.traceparent.empty()) json["traceparent"] = trace.traceparent;
  if (!trace.request_id.empty()) json["request_id"] = trace.request_id;
  if (!trace.tenant.empty()) json["tenant"] = trace.tenant;
  return json;
}

template <class Enum>
Json name_or_null(const std::optional<Enum>& value) {
  return value ? Json(to_string(*value)) : Json();
}

}  // namespace

const std::string* DisplayData::find(std::string_view type) const {
  for (const auto& part : mime) {
    if (part.type == type) return &part.data;
  }
  return nullptr;
}

std::string DisplayData::to_json() const { return dump(display_json(*this)); }

std::string Variable::to_json() const { return dump(variable_json(*this)); }

std::string FileInfo::to_json() const { return dump(file_json(*this)); }

std::string IsolationReport::to_json() const { return dump(isolation_json(*this)); }

std::string ExecutionResult::to_json() const {
  return dump({
      {"session_id", session_id},
      {"execution_id", execution_id},
      {"execution_count", execution_count},
      {"code_sha256", code_sha256},
      {"status", to_string(status)},
      {"cause", name_or_null(cause)},
      {"exit_code", exit_code},
      {"stdout", out},
      {"stderr", err},
      {"truncated",
       {{"stdout", truncation_json(out_truncated)}, {"stderr", truncation_json(err_truncated)}}},
      {"late", {{"stdout", late_out}, {"stderr", late_err}}},
      {"text", text ? Json(*text) : Json()},
      {"results", list_json(results, display_json)},
      {"error", error_json(error)},
      {"variables", list_json(variables, variable_json)},
      {"variables_summary", variables_summary},
      {"changes",
       {{"added", list_json(changes.added, change_json)},
        {"changed", list_json(changes.changed, change_json)},
        {"removed", list_json(changes.removed, change_json)}}},
      {"files",
       {{"created", list_json(files.created, file_json)},
        {"changed", list_json(files.changed, file_json)},
        {"deleted", list_json(files.deleted, file_json)}}},
      {"state", to_string(state)},
      {"lost_names", lost_names},
      {"stopped_by", name_or_null(stopped_by)},
      {"usage",
       {{"wall_ms", usage.wall_ms},
        {"cpu_ms", usage.cpu_ms},
        {"peak_memory_bytes", usage.peak_memory_bytes}}},
      {"isolation", isolation_json(isolation)},
      {"policy_events", policy_events},
      {"trace", trace_json(trace)},
  });
}

std::string EngineInfo::to_json() const {
  return dump({{"version", version},
               {"executor", executor},
               {"python_version", python_version},
               {"python_executable", python_executable},
               {"preloaded", preloaded},
               {"missing", missing},
               {"helpers", list_json(helpers,
                                     [](const Helper& helper) {
                                       return Json{{"name", helper.name},
                                                   {"signature", helper.signature},
                                                   {"doc", helper.doc}};
                                     })},
               {"allowed_imports", allowed_imports},
               {"policy_events", policy_events},
               {"zygote_start_ms", zygote_start_ms},
               {"parked_threads", parked_threads}});
}

}  // namespace cellblock

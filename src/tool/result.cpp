#include "tool/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cellblock::tool {
namespace {

Json of_type(std::string_view type) { return {{"type", type}}; }

Json or_null(Json schema) {
  schema["type"] = {schema["type"], "null"};
  return schema;
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

/// Every property is required.
Json object(Json properties) {
  Json required = Json::array();
  for (const auto& item : properties.items()) required.push_back(item.key());
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

Json count() { return {{"type", "integer"}, {"minimum", 0}}; }

template <class Enum>
Json names_until(Enum last) {
  Json names = Json::array();
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    names.push_back(to_string(static_cast<Enum>(value)));
  }
  return names;
}

Json file_schema() {
  return object({{"path", of_type("string")}, {"size", count()}, {"mime", of_type("string")}});
}

Json change_schema() {
  return {{"type", "object"},
          {"properties",
           {{"name", of_type("string")},
            {"type", of_type("string")},
            {"summary", of_type("string")},
            {"detail", of_type("string")}}},
          {"required", Json::array({"name"})}};
}

Json truncation_schema() {
  return or_null(object({{"total_bytes", count()}, {"omitted_bytes", count()}}));
}

Json display_schema() {
  Json schema = object({{"is_main_result", of_type("boolean")},
                        {"mime", of_type("object")},
                        {"chart", or_null(of_type("object"))},
                        {"omitted", list_of(of_type("string"))}});
  schema["properties"]["mime"]["description"] =
      "Data by MIME type. Images are content blocks of the result instead.";
  schema["properties"]["omitted"]["description"] =
      "MIME types that are left out here: pictures and long texts.";
  schema["properties"]["display_id"] = of_type("string");
  schema["properties"]["operation"] = {{"enum", {"update", "clear"}}};
  return schema;
}

bool is_picture(std::string_view type) {
  return type.starts_with("image/") && type != "image/svg+xml";
}

bool stays(const DisplayData::Mime& part) {
  return !is_picture(part.type) && part.data.size() <= kMaxMimeBytes;
}

}  // namespace

Json result_schema() {
  return object({
      {"session_id", of_type("string")},
      {"execution_id", of_type("string")},
      {"execution_count", count()},
      {"status", {{"enum", names_until(Status::host_error)}}},
      {"cause",
       {{"enum",
         [] {
           Json names = names_until(Cause::host);
           names.push_back(nullptr);
           return names;
         }()}}},
      {"exit_code", of_type("integer")},
      {"stdout", of_type("string")},
      {"stderr", of_type("string")},
      {"truncated", object({{"stdout", truncation_schema()}, {"stderr", truncation_schema()}})},
      {"late", object({{"stdout", of_type("string")}, {"stderr", of_type("string")}})},
      {"text", or_null(of_type("string"))},
      {"results", list_of(display_schema())},
      {"error", or_null(object({{"name", of_type("string")},
                                {"value", of_type("string")},
                                {"traceback", of_type("string")},
                                {"hint", or_null(of_type("string"))}}))},
      {"changes", object({{"added", list_of(change_schema())},
                          {"changed", list_of(change_schema())},
                          {"removed", list_of(change_schema())}})},
      {"files", object({{"created", list_of(file_schema())},
                        {"changed", list_of(file_schema())},
                        {"deleted", list_of(file_schema())}})},
      {"state", {{"enum", names_until(State::lost)}}},
      {"lost_names", list_of(of_type("string"))},
      {"stopped_by", {{"enum", {"sigint", "sigkill", nullptr}}}},
      {"usage", object({{"wall_ms", of_type("number")},
                        {"cpu_ms", of_type("number")},
                        {"peak_memory_bytes", count()}})},
      {"isolation", {{"enum", {"full", "reduced", "partial", "none", ""}}}},
      {"policy_events", {{"type", "object"}, {"additionalProperties", count()}}},
  });
}

Json structured_result(const ExecutionResult& result) {
  ExecutionResult lean = result;
  std::vector<Json> omitted;
  for (auto& shown : lean.results) {
    Json types = Json::array();
    for (const auto& part : shown.mime) {
      if (!stays(part)) types.push_back(part.type);
    }
    std::erase_if(shown.mime, [](const auto& part) { return !stays(part); });
    omitted.push_back(std::move(types));
  }
  Json json = Json::parse(lean.to_json());
  for (std::size_t i = 0; i < omitted.size(); ++i) {
    Json& shown = json["results"][i];
    shown["omitted"] = std::move(omitted[i]);
    // A session may send any JSON as a chart's data.
    if (!shown["chart"].is_object()) shown["chart"] = nullptr;
  }
  for (const char* left_out : {"code_sha256", "variables", "variables_summary", "trace"}) {
    json.erase(left_out);
  }
  json["isolation"] = result.isolation.level;
  return json;
}

}  // namespace cellblock::tool

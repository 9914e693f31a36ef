#include "protocol/messages.hpp"

#include <algorithm>
#include <utility>

#include "protocol/message_fields.hpp"

namespace cellblock::protocol {
namespace {

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
                      {"cage", cage},
                      {"joins_cage", joins_cage},
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
                       .cage = to_integer<std::uint64_t>(body.at("cage")),
                       .joins_cage = body.at("joins_cage").get<bool>(),
                       .switched_off = body.at("switched_off").get<std::vector<std::string>>(),
                       .failing_step = take_string(body, "failing_step"),
                       .config = take_string(body, "config")};
  });
}

std::string ForkReply::encode() const {
  return encode_body({{"error", error}, {"cage_is_gone", cage_is_gone}});
}

Expected<ForkReply> ForkReply::decode(std::string_view bytes) {
  return decode_with(bytes, [](Json& body) {
    return ForkReply{.error = take_string(body, "error"),
                     .cage_is_gone = body.at("cage_is_gone").get<bool>()};
  });
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

}  // namespace cellblock::protocol

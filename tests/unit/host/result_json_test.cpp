#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cellblock/executor.hpp"
#include "cellblock/result.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using Json = nlohmann::json;

namespace {

const std::string kHostile("\x1B[31m\"\\\n\0\xFF\xE2\x80\xA8</script>", 22);

Json to_object(const std::string& text) {
  CHECK(text.find('\n') == std::string::npos);
  Json json = Json::parse(text, nullptr, false);
  REQUIRE(json.is_object());
  return json;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("A result has every documented name, in its shape") {
  ExecutionResult result;
  const Json json = to_object(result.to_json());
  CHECK(keys(json) ==
        Names{"cause",        "changes",       "code_sha256", "error",      "execution_count",
              "execution_id", "exit_code",     "files",       "isolation",  "late",
              "lost_names",   "policy_events", "results",     "session_id", "state",
              "status",       "stderr",        "stdout",      "stopped_by", "text",
              "trace",        "truncated",     "usage",       "variables",  "variables_summary"});
  for (const char* name : {"cause", "error", "text", "stopped_by"}) CHECK(json[name].is_null());
  CHECK(json["truncated"] == Json{{"stdout", nullptr}, {"stderr", nullptr}});
  CHECK(json["late"] == Json{{"stdout", ""}, {"stderr", ""}});
  CHECK(keys(json["changes"]) == Names{"added", "changed", "removed"});
  CHECK(keys(json["files"]) == Names{"changed", "created", "deleted"});
  CHECK(keys(json["usage"]) == Names{"cpu_ms", "peak_memory_bytes", "wall_ms"});
  CHECK(keys(json["isolation"]) == Names{"layers", "level"});
  CHECK(json["status"] == "ok");
  CHECK(json["state"] == "kept");
  CHECK(json["policy_events"].is_object());
  CHECK(json["trace"].is_object());
}

TEST_CASE("A full result tells everything") {
  ExecutionResult result;
  result.status = Status::memory_limit;
  result.cause = Cause::disk_full;
  result.out = "out";
  result.out_truncated = Truncation{.total_bytes = 9, .omitted_bytes = 4};
  result.text = "42";
  result.results.push_back({.is_main_result = true,
                            .mime = {{"text/plain", "x"},
                                     {"image/png", std::string("\x89PNG\0", 5)},
                                     {"image/svg+xml", "<svg/>"},
                                     {"application/json", R"({"a": [1]})"}},
                            .chart_json = R"({"type": "bar"})"});
  result.error = ExecutionError{.name = "E", .value = "v", .traceback = "t", .hint = ""};
  result.variables.push_back({.name = "df", .type = "DataFrame", .summary = "DataFrame(1, 2)"});
  result.changes.added.push_back({.name = "df", .type = "DataFrame", .summary = "s", .detail = ""});
  result.changes.removed.push_back({.name = "x"});
  result.files.created.push_back({.path = "a.csv", .size = 3, .mime = "text/csv"});
  result.state = State::rolled_back;
  result.lost_names = {"y"};
  result.stopped_by = StoppedBy::sigkill;
  result.isolation = {.level = "partial",
                      .layers = {{.name = "seccomp", .on = true, .detail = ""}}};
  result.policy_events["timeout_clamped"] = 1;
  result.trace = {.traceparent = "00-a", .request_id = "r", .tenant = "t"};
  const Json json = to_object(result.to_json());
  CHECK(json["status"] == "memory_limit");
  CHECK(json["cause"] == "disk_full");
  CHECK(json["truncated"]["stdout"] == Json{{"total_bytes", 9}, {"omitted_bytes", 4}});
  CHECK(json["text"] == "42");
  CHECK(json["results"][0]["is_main_result"] == true);
  CHECK(json["results"][0]["mime"]["text/plain"] == "x");
  CHECK(json["results"][0]["mime"]["image/png"] == "iVBORwA=");
  CHECK(json["results"][0]["mime"]["image/svg+xml"] == "<svg/>");
  CHECK(json["results"][0]["mime"]["application/json"] == Json{{"a", {1}}});
  CHECK(json["results"][0]["chart"] == Json{{"type", "bar"}});
  CHECK(json["error"] ==
        Json{{"name", "E"}, {"value", "v"}, {"traceback", "t"}, {"hint", nullptr}});
  CHECK(json["variables"][0] ==
        Json{{"name", "df"}, {"type", "DataFrame"}, {"summary", "DataFrame(1, 2)"}});
  CHECK(json["changes"]["removed"][0] == Json{{"name", "x"}});
  CHECK(json["files"]["created"][0] == Json{{"path", "a.csv"}, {"size", 3}, {"mime", "text/csv"}});
  CHECK(json["state"] == "rolled_back");
  CHECK(json["lost_names"] == Json{"y"});
  CHECK(json["stopped_by"] == "sigkill");
  CHECK(json["isolation"]["layers"][0] == Json{{"name", "seccomp"}, {"on", true}, {"detail", ""}});
  CHECK(json["policy_events"] == Json{{"timeout_clamped", 1}});
  CHECK(json["trace"] == Json{{"traceparent", "00-a"}, {"request_id", "r"}, {"tenant", "t"}});
}

TEST_CASE("Whatever a session sends, the result is one line of valid JSON") {
  ExecutionResult result;
  result.out = kHostile;
  result.late_err = kHostile;
  result.text = kHostile;
  result.error = ExecutionError{kHostile, kHostile, kHostile, kHostile};
  result.variables.push_back({kHostile, kHostile, kHostile});
  result.variables_summary = kHostile;
  result.changes.changed.push_back({kHostile, kHostile, kHostile, kHostile});
  result.files.deleted.push_back({.path = kHostile, .size = ~0ULL, .mime = kHostile});
  result.lost_names = {kHostile};
  result.policy_events[kHostile] = 1;
  result.trace.request_id = kHostile;
  result.results.push_back(
      {.is_main_result = false,
       .mime = {{kHostile, kHostile}, {"text/html", kHostile}, {"application/json", kHostile}},
       .chart_json = kHostile});
  const Json json = to_object(result.to_json());
  CHECK(json["stdout"].get<std::string>().starts_with("\x1B[31m\"\\\n"));
  CHECK(json["results"][0]["chart"].is_string());
}

TEST_CASE("JSON that a session nested without end is kept as text") {
  for (const std::size_t depth : {std::size_t{100}, std::size_t{3'000'000}}) {
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    DisplayData data{.mime = {{"application/json", deep}}, .chart_json = deep};
    const Json json = to_object(data.to_json());
    CHECK(json["mime"]["application/json"].is_string());
    CHECK(json["chart"].is_string());
  }
  DisplayData data{.mime = {{"application/json", R"(["]]]][[[[", {"a": [[[1]]]}])"}},
                   .chart_json = {}};
  CHECK(to_object(data.to_json())["mime"]["application/json"][1]["a"][0][0][0] == 1);
}

TEST_CASE("The wire names of the public enums are the documented ones") {
  CHECK(to_string(Status::memory_limit) == "memory_limit");
  CHECK(to_string(Status::host_error) == "host_error");
  CHECK(to_string(Cause::exception) == "exception");
  CHECK(to_string(Cause::stack_overflow) == "stack_overflow");
  CHECK(to_string(Cause::zygote_lost) == "zygote_lost");
  CHECK(to_string(Cause::host) == "host");
  CHECK(to_string(State::rolled_back) == "rolled_back");
  CHECK(to_string(StoppedBy::sigkill) == "sigkill");
  CHECK(to_string(ErrorKind::unknown_session) == "unknown_session");
  CHECK(to_string(ErrorKind::isolation_unavailable) == "isolation_unavailable");
  CHECK(to_string(ErrorKind::host_error) == "host_error");
}

TEST_CASE("What the engine says of itself is JSON") {
  const EngineInfo info{.version = "1", .executor = "fork", .missing = {{"polars", kHostile}}};
  const Json json = to_object(info.to_json());
  CHECK(keys(json) == Names{"executor", "helpers", "missing", "preloaded", "python_executable",
                            "python_version", "version", "zygote_start_ms"});
}

TEST_CASE("A display tells its id and what is done with it, where there is something to tell") {
  DisplayData data;
  data.mime = {{.type = "application/vnd.plotly.v1+json", .data = "{\"data\":[]}"},
               {.type = "image/svg+xml", .data = "<svg/>"}};
  Json json = to_object(data.to_json());
  CHECK(keys(json) == Names{"chart", "is_main_result", "mime"});
  CHECK(json["mime"]["application/vnd.plotly.v1+json"] == Json{{"data", Json::array()}});
  CHECK(json["mime"]["image/svg+xml"] == "<svg/>");
  data.display_id = "a";
  data.operation = DisplayData::Operation::update;
  json = to_object(data.to_json());
  CHECK(json["display_id"] == "a");
  CHECK(json["operation"] == "update");
  data.operation = DisplayData::Operation::clear;
  CHECK(to_object(data.to_json())["operation"] == "clear");
}

#include "protocol/messages.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::protocol;
using Json = nlohmann::json;

namespace {

const std::string kOdd("\xFF\0\n\xE2\x80\xA8", 6);

Json execute_reply() {
  return {{"status", "ok"},
          {"cause", nullptr},
          {"exit_code", 0},
          {"interrupted", false},
          {"text", nullptr},
          {"error", nullptr},
          {"variables", Json::array()},
          {"changes",
           {{"added", Json::array()}, {"changed", Json::array()}, {"removed", Json::array()}}},
          {"threads", 0},
          {"cpu_us", 0},
          {"max_rss_bytes", 0}};
}

/// The data of one MIME type, or a text that no test expects.
std::string part(const DisplayData& data, std::string_view type) {
  for (const auto& mime : data.mime) {
    if (mime.type == type) return mime.data;
  }
  return "absent";
}

/// Whether the reply is refused when one field has this value.
bool refuses(const char* field, const Json& value) {
  Json reply = execute_reply();
  reply[field] = value;
  const auto decoded = ExecuteReply::decode(encode_body(reply));
  if (!decoded) CHECK(decoded.error().kind == ErrorKind::bad_argument);
  return !decoded;
}

}  // namespace

TEST_CASE("A zygote's messages come back as they were sent") {
  const ZygoteReady sent{.python_version = "3.11.2",
                         .python_executable = "/usr/bin/python3",
                         .loaded = {{"numpy", "1.24"}},
                         .missing = {{"polars", "not installed"}},
                         .helpers = {{.name = "f", .signature = "(x)", .doc = kOdd}},
                         .installed = {"json", "numpy"},
                         .cages = true,
                         .cages_detail = kOdd};
  const auto ready = ZygoteReady::decode(sent.encode());
  REQUIRE(ready);
  CHECK(ready->python_version == sent.python_version);
  CHECK(ready->python_executable == sent.python_executable);
  CHECK(ready->loaded == sent.loaded);
  CHECK(ready->missing == sent.missing);
  REQUIRE(ready->helpers.size() == 1);
  CHECK(ready->helpers[0].name == "f");
  CHECK(ready->helpers[0].signature == "(x)");
  CHECK(ready->helpers[0].doc == kOdd);
  CHECK(ready->installed == sent.installed);
  CHECK(ready->cages);
  CHECK(ready->cages_detail == kOdd);

  CHECK(ZygoteFailed::decode(ZygoteFailed{kOdd}.encode())->message == kOdd);
  const ForkReply gone{.error = kOdd, .cage_is_gone = true};
  CHECK(ForkReply::decode(gone.encode())->error == kOdd);
  CHECK(ForkReply::decode(gone.encode())->cage_is_gone);
  CHECK_FALSE(ForkReply::decode(ForkReply{}.encode())->cage_is_gone);
  CHECK(SessionFailed::decode(SessionFailed{kOdd}.encode())->message == kOdd);

  const SessionExited end{.wait_status = -1, .cpu_us = ~0ULL, .max_rss_bytes = 5};
  const auto exited = SessionExited::decode(end.encode());
  REQUIRE(exited);
  CHECK(exited->wait_status == -1);
  CHECK(exited->cpu_us == ~0ULL);
  CHECK(exited->max_rss_bytes == 5);
}

TEST_CASE("A fork request comes back as it was sent, limits and their absence too") {
  const SessionConfig config_sent{.workspace = "/tmp/" + kOdd,
                                  .env = {{"A", "b"}},
                                  .allowed_imports = {"numpy", "math"},
                                  .import_guard = "off",
                                  .max_text_bytes = 1,
                                  .max_result_bytes = ~0ULL,
                                  .end_threads_ms = 250,
                                  .notes_imports = true};
  const ForkRequest sent{.mode = ForkMode::bare,
                         .cgroups = 4,
                         .limits = {.data_bytes = 1ULL << 40, .open_files = 0, .tasks = 33},
                         .workspace = {.folder = "/w", .bytes = 5, .files = {}},
                         .read_paths = {"/data"},
                         .cage = 1ULL << 60,
                         .joins_cage = true,
                         .switched_off = {"rlimits", "cgroup"},
                         .failing_step = "ids",
                         .config = config_sent.encode()};
  const auto request = ForkRequest::decode(sent.encode());
  REQUIRE(request);
  const auto config = SessionConfig::decode(request->config);
  REQUIRE(config);
  CHECK(request->mode == ForkMode::bare);
  CHECK(request->cgroups == 4);
  CHECK(request->cage == 1ULL << 60);
  CHECK(request->joins_cage);
  CHECK(request->is_switched_off("cgroup"));
  CHECK_FALSE(request->is_switched_off("cgroups"));
  CHECK(config->workspace == config_sent.workspace);
  CHECK(config->env == config_sent.env);
  CHECK(config->allowed_imports == config_sent.allowed_imports);
  CHECK(config->import_guard == "off");
  CHECK(config->max_text_bytes == 1);
  CHECK(config->max_result_bytes == ~0ULL);
  CHECK(config->end_threads_ms == 250);
  CHECK(config->notes_imports);
  CHECK(request->limits.data_bytes == 1ULL << 40);
  CHECK(request->limits.open_files == 0U);
  CHECK_FALSE(request->limits.file_bytes.has_value());
  CHECK(request->limits.processes == 0U);
  CHECK(request->limits.tasks == 33U);
  CHECK(request->workspace == sent.workspace);
  CHECK(request->read_paths == sent.read_paths);
  CHECK(request->failing_step == "ids");
  CHECK(ForkRequest::decode(ForkRequest{}.encode())->mode == ForkMode::cage);
  CHECK_FALSE(ForkRequest::decode(ForkRequest{}.encode())->joins_cage);
}

TEST_CASE("A fork request of an unknown mode is a caged one") {
  Json body = *decode_body(ForkRequest{}.encode());
  body["mode"] = "free";
  CHECK(ForkRequest::decode(encode_body(body))->mode == ForkMode::cage);
}

TEST_CASE("Requests and the session's first word come back as they were sent") {
  const auto execute =
      ExecuteRequest::decode(ExecuteRequest{.code = kOdd, .execution_count = 3}.encode());
  REQUIRE(execute);
  CHECK(execute->code == kOdd);
  CHECK(execute->execution_count == 3);
  CHECK(execute->imports.empty());
  const auto again = ExecuteRequest::decode(
      ExecuteRequest{.code = "x", .execution_count = 4, .imports = {"import math"}}.encode());
  REQUIRE(again);
  CHECK(again->imports == std::vector<std::string>{"import math"});
  const auto code = CodeRequest::decode(CodeRequest{.code = "df.", .cursor = 3}.encode());
  REQUIRE(code);
  CHECK(code->code == "df.");
  CHECK(code->cursor == 3);
  const auto ready = SessionReady::decode(
      SessionReady{.layers = {{.name = "seccomp", .on = true, .detail = "30 calls"}}}.encode());
  REQUIRE(ready);
  REQUIRE(ready->layers.size() == 1);
  CHECK(ready->layers[0].name == "seccomp");
  CHECK(ready->layers[0].on);
  CHECK(ready->layers[0].detail == "30 calls");
}

TEST_CASE("An execution's reply is read whole") {
  Json sent = execute_reply();
  sent["status"] = "error";
  sent["cause"] = "import_refused";
  sent["exit_code"] = 1;
  sent["interrupted"] = true;
  sent["text"] = "";
  sent["error"] = {
      {"name", "ImportError"}, {"value", "no"}, {"traceback", "tb"}, {"hint", nullptr}};
  sent["variables"] = {{{"name", "df"}, {"type", "DataFrame"}, {"summary", "DataFrame(3, 2)"}}};
  sent["changes"] = {
      {"added", {{{"name", "df"}, {"type", "t"}, {"summary", "s"}, {"detail", "d"}}}},
      {"changed", Json::array()},
      {"removed", {{{"name", "x"}}}}};
  sent["threads"] = 2;
  sent["cpu_us"] = 1500;
  sent["max_rss_bytes"] = 9;
  sent["policy_events"] = {{"import:socket", 3}};
  sent["a later version's field"] = {1, 2};
  const auto reply = ExecuteReply::decode(encode_body(sent));
  REQUIRE(reply);
  CHECK(reply->status == Status::error);
  CHECK(reply->cause == Cause::import_refused);
  CHECK(reply->exit_code == 1);
  CHECK(reply->interrupted);
  CHECK(reply->text == "");
  REQUIRE(reply->error);
  CHECK(reply->error->name == "ImportError");
  CHECK(reply->error->hint.empty());
  REQUIRE(reply->variables.has_value());
  REQUIRE(reply->variables->size() == 1);
  CHECK(reply->variables->at(0).summary == "DataFrame(3, 2)");
  REQUIRE(reply->changes.added.size() == 1);
  CHECK(reply->changes.added[0].detail == "d");
  REQUIRE(reply->changes.removed.size() == 1);
  CHECK(reply->changes.removed[0].name == "x");
  CHECK(reply->threads == 2);
  CHECK(reply->cpu_us == 1500);
  CHECK(reply->max_rss_bytes == 9);
  CHECK(reply->policy_events == std::map<std::string, std::uint64_t>{{"import:socket", 3}});
}

TEST_CASE("Policy events are few, with names of a bounded length") {
  Json reply = execute_reply();
  reply["policy_events"] = {{std::string(5000, 'x'), 1}};
  const auto decoded = ExecuteReply::decode(encode_body(reply));
  REQUIRE(decoded);
  REQUIRE(decoded->policy_events.size() == 1);
  CHECK(decoded->policy_events.begin()->first.size() == 100);
  for (const char* wrong : {"text", "5"}) CHECK(refuses("policy_events", wrong));
  CHECK(refuses("policy_events", {{"a", -1}}));
  CHECK(refuses("policy_events", {{"a", "1"}}));
  CHECK(refuses("policy_events", nullptr));
  Json many = Json::object();
  for (int i = 0; i < 65; ++i) many[std::to_string(i)] = 1;
  CHECK(refuses("policy_events", many));
}

TEST_CASE("A field of another type, or none, is refused in an execution's reply") {
  const Json reply = execute_reply();
  REQUIRE(ExecuteReply::decode(encode_body(reply)));
  for (const auto& [field, value] : reply.items()) {
    INFO(field);
    CHECK(refuses(field.c_str(), Json::array({1})));
    CHECK(refuses(field.c_str(), 1.5));
    Json without = reply;
    without.erase(field);
    if (field != "cause") CHECK_FALSE(ExecuteReply::decode(encode_body(without)));
  }
  for (const char* field : {"variables", "changes"}) {
    CHECK(refuses(field, {{"name", 1}}));
    CHECK(refuses(field, "text"));
  }
  CHECK(refuses("changes", nullptr));
  CHECK_FALSE(refuses("variables", nullptr));  // as in the last reply
  CHECK(refuses("variables", {{{"name", "x"}, {"type", 1}, {"summary", ""}}}));
  CHECK(refuses("error", {{"name", "E"}}));
}

TEST_CASE("A session's imports come in bounds or not at all") {
  CHECK_FALSE(refuses("imports", {"import math"}));
  CHECK_FALSE(refuses("imports", std::vector<std::string>(kMostImports, "import math")));
  CHECK(refuses("imports", std::vector<std::string>(kMostImports + 1, "import math")));
  CHECK(refuses("imports", {std::string(kLongestImport + 1, 'x')}));
  CHECK(refuses("imports", {1}));
  CHECK(refuses("imports", nullptr));
}

TEST_CASE("A session cannot claim what only the host can know") {
  for (const char* status : {"timeout", "crashed", "cancelled", "host_error", "OK", ""}) {
    INFO(status);
    CHECK(refuses("status", status));
  }
  for (const char* cause : {"wall_time", "signal", "protocol", "caller", "zygote_lost", "host"}) {
    INFO(cause);
    CHECK(refuses("cause", cause));
  }
}

TEST_CASE("Numbers out of their range are refused") {
  CHECK(refuses("exit_code", 1ULL << 31));
  CHECK(refuses("exit_code", -(1LL << 31) - 1));
  CHECK_FALSE(refuses("exit_code", -1));
  for (const char* field : {"threads", "cpu_us", "max_rss_bytes"}) {
    INFO(field);
    CHECK(refuses(field, -1));
    CHECK(refuses(field, std::numeric_limits<double>::quiet_NaN()));
    CHECK(refuses(field, 1e300));
    CHECK_FALSE(refuses(field, ~0ULL));
  }
}

TEST_CASE("No message is read from what is no map") {
  for (const Json& body : {Json(), Json(1), Json("text"), Json::array({1})}) {
    const std::string bytes = encode_body(body);
    CHECK_FALSE(ZygoteReady::decode(bytes));
    CHECK_FALSE(ZygoteFailed::decode(bytes));
    CHECK_FALSE(ForkRequest::decode(bytes));
    CHECK_FALSE(ForkReply::decode(bytes));
    CHECK_FALSE(SessionExited::decode(bytes));
    CHECK_FALSE(SessionReady::decode(bytes));
    CHECK_FALSE(SessionFailed::decode(bytes));
    CHECK_FALSE(ExecuteRequest::decode(bytes));
    CHECK_FALSE(CodeRequest::decode(bytes));
    CHECK_FALSE(ExecuteReply::decode(bytes));
    CHECK_FALSE(CompleteReply::decode(bytes));
    CHECK_FALSE(InspectReply::decode(bytes));
    CHECK_FALSE(IsCompleteReply::decode(bytes));
    CHECK_FALSE(decode_variables(bytes));
    CHECK_FALSE(decode_display(bytes, {}));
  }
}

TEST_CASE("Display data holds text, JSON and raw attachments by their types") {
  const Json body{{"is_main_result", true},
                  {"mime", {{"text/plain", "a"}, {"application/json", {{"k", 1}}}}},
                  {"attachments", {"image/png"}},
                  {"chart", {{"type", "bar"}}}};
  const auto data = decode_display(encode_body(body), {kOdd});
  REQUIRE(data);
  CHECK(data->is_main_result);
  CHECK(data->mime.size() == 3);
  CHECK(part(*data, "text/plain") == "a");
  CHECK(Json::parse(part(*data, "application/json")) == Json{{"k", 1}});
  CHECK(part(*data, "image/png") == kOdd);
  CHECK(Json::parse(data->chart_json) == Json{{"type", "bar"}});
}

TEST_CASE("Display data says what is to be done with it") {
  using Operation = DisplayData::Operation;
  const auto decode = [](const Json& more) {
    Json body{{"is_main_result", false},
              {"mime", {{"application/vnd.own+json", "text"}}},
              {"attachments", Json::array()},
              {"chart", nullptr}};
    body.update(more);
    return decode_display(encode_body(body), {});
  };
  CHECK(decode(Json::object())->operation == Operation::show);
  CHECK(decode(Json::object())->display_id.empty());
  CHECK(part(*decode(Json::object()), "application/vnd.own+json") == "\"text\"");
  CHECK(decode({{"operation", "update"}, {"display_id", kOdd}})->display_id == kOdd);
  CHECK(decode({{"operation", "update"}})->operation == Operation::update);
  CHECK(decode({{"operation", "clear"}})->operation == Operation::clear);
  CHECK(decode({{"operation", "another"}})->operation == Operation::show);
  CHECK_FALSE(decode({{"display_id", 5}}));
}

TEST_CASE("Display data that contradicts itself harms nothing") {
  const auto decode = [](const Json& attachments, std::vector<std::string> raw) {
    return decode_display(encode_body({{"is_main_result", false},
                                       {"mime", Json::object()},
                                       {"attachments", attachments},
                                       {"chart", nullptr}}),
                          std::move(raw));
  };
  CHECK(decode({"image/png", "image/jpeg"}, {"one"})->mime.size() == 1);
  CHECK(decode({"image/png"}, {"one", "two"})->mime.size() == 1);
  CHECK_FALSE(decode({1}, {"one"}));
  CHECK(decode(nullptr, {"one"})->mime.empty());
  CHECK(decode(Json::array(), {})->chart_json.empty());
}

TEST_CASE("Answers to questions are read whole") {
  const auto complete =
      CompleteReply::decode(encode_body({{"matches", {"head", "hist"}}, {"start", 3}, {"end", 4}}));
  REQUIRE(complete);
  CHECK(complete->matches == std::vector<std::string>{"head", "hist"});
  CHECK(complete->start == 3);
  CHECK(complete->end == 4);
  CHECK_FALSE(CompleteReply::decode(encode_body({{"matches", {1}}, {"start", 0}, {"end", 0}})));
  CHECK_FALSE(
      CompleteReply::decode(encode_body({{"matches", Json::array()}, {"start", -1}, {"end", 0}})));

  CHECK(InspectReply::decode(encode_body({{"found", true}, {"text", "doc"}}))->text == "doc");
  CHECK_FALSE(InspectReply::decode(encode_body({{"found", 1}, {"text", "doc"}})));
  CHECK(
      IsCompleteReply::decode(encode_body({{"status", "incomplete"}, {"indent", "  "}}))->indent ==
      "  ");
  CHECK(decode_variables(
            encode_body({{"variables", {{{"name", "x"}, {"type", "int"}, {"summary", "1"}}}}}))
            ->size() == 1);
}

#include "tool/description.hpp"

#include <string>

#include "support/catch.hpp"
#include "tool/definition.hpp"
#include "tool/limits_text.hpp"
#include "tool/result.hpp"

namespace cellblock::tool {
namespace {

using std::chrono::milliseconds;

Facts facts() {
  Facts made;
  made.engine.python_version = "3.11.2";
  made.engine.preloaded = {{"numpy", "1.24.2"}};
  made.engine.allowed_imports = {"abc", "json", "numpy", "zlib"};
  made.engine.helpers = {{"load_csv", "(path)", "Read a CSV file."}};
  return made;
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST_CASE("durations and sizes are told in the largest unit that fits") {
  CHECK(duration_text(milliseconds(500)) == "0.5 s");
  CHECK(duration_text(milliseconds(90'000)) == "90 s");
  CHECK(duration_text(milliseconds(600'000)) == "10 min");
  CHECK(duration_text(milliseconds(7'200'000)) == "2 h");
  CHECK(size_text(100) == "100 bytes");
  CHECK(size_text(16'384) == "16 KB");
  CHECK(size_text(512ULL << 20) == "512 MB");
  CHECK(size_text(3ULL << 30) == "3 GB");
}

TEST_CASE("limits that are off are not told") {
  SecurityPolicy policy;
  CHECK(has(limits_text(policy), "512 MB of memory"));
  CHECK(has(limits_text(policy), "no subprocesses"));
  policy.max_memory_bytes = std::nullopt;
  policy.max_processes = 4;
  CHECK_FALSE(has(limits_text(policy), "memory"));
  CHECK_FALSE(has(limits_text(policy), "subprocesses"));
  CHECK(has(limits_text(policy), "no network"));
}

TEST_CASE("both descriptions name what is installed, the usual packages first") {
  for (const auto& text : {full_description(facts()), short_description(facts())}) {
    INFO(text);
    CHECK(has(text, "numpy 1.24.2, json, abc, zlib"));
    CHECK(has(text, "State persists"));
    CHECK(has(text, "30 s for each call"));
  }
  CHECK(has(full_description(facts()), "load_csv(path): Read a CSV file."));
}

TEST_CASE("companions are told only where they are") {
  auto with = facts();
  with.has_companions = true;
  CHECK(has(full_description(with), "read_output"));
  CHECK_FALSE(has(full_description(facts()), "read_output"));
  CHECK_FALSE(has(full_description(facts()), "upload_file"));
}

TEST_CASE("a program is told how much of a result the words promise to a model") {
  auto longer = facts();
  longer.policy.max_stdout_bytes = 20'000;
  CHECK(definition("json", longer)->at("model_text_bytes") == 20'000);
}

TEST_CASE("a model that names no sessions is told of none") {
  CHECK(has(full_description(facts()), "session_id"));
  CHECK(input_schema(facts())["properties"].contains("session_id"));
  auto without = facts();
  without.takes_session_id = false;
  CHECK_FALSE(has(full_description(without), "session_id"));
  CHECK_FALSE(has(short_description(without), "session_id"));
  CHECK(has(short_description(without), "the next call. Returned: "));
  CHECK_FALSE(input_schema(without)["properties"].contains("session_id"));
}

TEST_CASE("the short description stays short with any number of packages") {
  auto many = facts();
  for (int i = 0; i < 500; ++i)
    many.engine.allowed_imports.push_back("package_" + std::to_string(i));
  CHECK(short_description(many).size() <= kShortDescription);
  CHECK(has(short_description(many), "package_0"));
  many.engine.allowed_imports.clear();
  CHECK(has(short_description(many), "no imports"));
}

TEST_CASE("a format that is not there is named with those that are") {
  const auto wrong = definition("xml", facts());
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::bad_argument);
  CHECK(has(wrong.error().message, "openai, anthropic, mcp, langchain or json"));
}

TEST_CASE("schemas have the shapes that they are meant to have") {
  const auto input = input_schema(facts());
  CHECK(input["required"] == Json::array({"code"}));
  const auto output = result_schema();
  CHECK(output["type"] == "object");
  CHECK(output["properties"]["changes"]["properties"]["added"]["items"]["required"] ==
        Json::array({"name"}));
  CHECK(output["properties"]["text"]["type"] == Json::array({"string", "null"}));
  CHECK(output["properties"]["status"]["enum"].size() == 9);
  CHECK(output["properties"]["cause"]["enum"].back().is_null());
}

TEST_CASE("a structured result leaves pictures and long texts out and says so") {
  ExecutionResult result;
  result.isolation.level = "full";
  DisplayData shown;
  shown.mime = {{"text/plain", "short"},
                {"text/html", std::string(kMaxMimeBytes + 1, 'x')},
                {"image/svg+xml", "<svg/>"},
                {"image/png", "bytes"}};
  shown.chart_json = "[1]";
  result.results = {shown};
  const auto json = structured_result(result);
  const auto& one = json["results"][0];
  CHECK(one["mime"].size() == 2);
  CHECK(one["omitted"] == Json::array({"text/html", "image/png"}));
  CHECK(one["chart"].is_null());
  CHECK(json["isolation"] == "full");
  const Json required = result_schema()["required"];
  for (const auto& name : required) CHECK(json.contains(name));
  CHECK(json.size() == required.size());
}

}  // namespace
}  // namespace cellblock::tool

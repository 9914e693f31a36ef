#include "cellblock/policy.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace cellblock;
using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

namespace {

/// What is said of a policy that must be refused.
std::string refusal(const std::string& text) {
  INFO(text.substr(0, 200));
  const auto policy = SecurityPolicy::from_json(text);
  REQUIRE_FALSE(policy);
  CHECK(policy.error().kind == ErrorKind::policy_invalid);
  CHECK(policy.error().message.ends_with("."));
  return policy.error().message;
}

std::string refusal_of(const std::string& field, const Json& value) {
  return refusal(Json{{field, value}}.dump());
}

SecurityPolicy accepted(const Json& json) {
  const auto policy = SecurityPolicy::from_json(json.dump());
  INFO(json.dump());
  INFO((policy ? "" : policy.error().message));
  REQUIRE(policy);
  return *policy;
}

const std::vector<std::string> kSeconds{"timeout_s", "grace_s", "session_ttl_s", "idle_ttl_s"};
const std::vector<std::string> kCounts{"max_memory_bytes", "max_processes",    "max_threads",
                                       "max_open_files",   "max_file_bytes",   "workspace_bytes",
                                       "workspace_files",  "max_stdout_bytes", "max_stderr_bytes",
                                       "max_text_bytes",   "max_result_bytes", "spool_bytes"};
const std::vector<std::string> kNullable{
    "cpu_seconds",    "max_cpus",       "max_memory_bytes", "max_processes",   "max_threads",
    "max_open_files", "max_file_bytes", "workspace_bytes",  "workspace_files", "workspace_dir"};
const std::vector<std::string> kNames{"import_guard", "network",   "background",
                                      "on_restart",   "isolation", "interpreter"};
const std::vector<std::string> kLists{"allowed_imports", "read_paths"};

std::vector<std::string> all_fields() {
  std::vector<std::string> names{"profile", "env"};
  const Json json = Json::parse(SecurityPolicy{}.to_json());
  for (const auto& [name, value] : json.items()) {
    if (name != "profile" && name != "env") names.push_back(name);
  }
  return names;
}

}  // namespace

TEST_CASE("The defaults are those that are documented") {
  const Json json = Json::parse(SecurityPolicy{}.to_json());
  const Json expected{
      {"profile", "default"},
      {"timeout_s", 30},
      {"grace_s", 1},
      {"cpu_seconds", nullptr},
      {"max_cpus", 1.0},
      {"max_memory_bytes", 512 << 20},
      {"max_processes", 0},
      {"max_threads", 32},
      {"max_open_files", 256},
      {"max_file_bytes", 64 << 20},
      {"workspace_bytes", 256 << 20},
      {"workspace_files", 10'000},
      {"workspace_dir", nullptr},
      {"max_stdout_bytes", 16'384},
      {"max_stderr_bytes", 16'384},
      {"max_text_bytes", 16'384},
      {"max_result_bytes", 10 << 20},
      {"spool_bytes", 16 << 20},
      {"import_guard", "on"},
      {"network", "none"},
      {"read_paths", Json::array()},
      {"env", Json::object()},
      {"background", "keep"},
      {"on_restart", "fresh"},
      {"interpreter", "main"},
      {"session_ttl_s", 3600},
      {"idle_ttl_s", 600},
  };
  for (const auto& [name, value] : expected.items()) {
    INFO(name);
    REQUIRE(json.contains(name));
    CHECK(json[name] == value);
  }
  CHECK(json.size() == expected.size() + 2);
  CHECK(json.contains("isolation"));
  CHECK(json.contains("allowed_imports"));
  CHECK(accepted(Json::object()) == SecurityPolicy{});
}

TEST_CASE("The import list of the default is for data analysis") {
  const auto& list = SecurityPolicy::default_allowed_imports();
  const auto has = [&](const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const char* name : {"numpy", "pandas", "matplotlib", "math", "json", "datetime"}) {
    INFO(name);
    CHECK(has(name));
  }
  for (const char* name : {"subprocess", "ctypes", "socket", "multiprocessing", "cffi"}) {
    INFO(name);
    CHECK_FALSE(has(name));
  }
}

TEST_CASE("A profile is a base that the other fields change") {
  const auto strict = accepted({{"profile", "strict"}});
  CHECK(strict.timeout == std::chrono::seconds(10));
  CHECK(strict.max_memory_bytes == 128ULL << 20);
  CHECK(strict.max_cpus == 0.5);
  CHECK(strict.max_threads == 8U);
  CHECK(strict.import_guard == ImportGuard::on);
  CHECK(strict == *SecurityPolicy::from_profile("strict"));

  const auto trusted = accepted({{"profile", "trusted"}});
  CHECK(trusted.import_guard == ImportGuard::off);
  CHECK(trusted.timeout == std::chrono::minutes(10));
  CHECK(trusted.max_memory_bytes == 4ULL << 30);
  CHECK(trusted.isolation == SecurityPolicy{}.isolation);

  // Whatever the order of the keys.
  const auto changed = SecurityPolicy::from_json(R"({"timeout_s": 5, "profile": "strict"})");
  REQUIRE(changed);
  CHECK(changed->timeout == std::chrono::seconds(5));
  CHECK(changed->max_threads == 8U);
}

TEST_CASE("An unknown profile is refused by name") {
  CHECK_THAT(refusal_of("profile", "loose"), ContainsSubstring("\"profile\""));
  CHECK_THAT(refusal_of("profile", 1), ContainsSubstring("\"profile\""));
  CHECK_FALSE(SecurityPolicy::from_profile("").has_value());
}

TEST_CASE("A policy written as JSON is read back equal") {
  SecurityPolicy policy = *SecurityPolicy::from_profile("strict");
  policy.timeout = std::chrono::milliseconds(1'500);
  policy.grace = std::chrono::milliseconds(1);
  policy.cpu_seconds = 0.25;
  policy.max_cpus.reset();
  policy.max_memory_bytes.reset();
  policy.max_processes.reset();
  policy.max_threads.reset();
  policy.max_open_files.reset();
  policy.max_file_bytes.reset();
  policy.workspace_bytes.reset();
  policy.workspace_files.reset();
  policy.workspace_dir = "/data/\"quoted\"\n";
  policy.max_stdout_bytes = 256;
  policy.allowed_imports.clear();
  policy.import_guard = ImportGuard::off;
  policy.read_paths = {"/usr/share"};
  policy.env = {{"A", ""}, {"B", "=x"}};
  policy.background = BackgroundThreads::end;
  policy.on_restart = OnRestart::reimport;
  policy.isolation = Isolation::required;
  policy.interpreter = Interpreter::sub;
  policy.session_ttl = std::chrono::milliseconds(2'592'000'000);
  const auto back = SecurityPolicy::from_json(policy.to_json());
  REQUIRE(back);
  CHECK(*back == policy);
  for (const char* name : {"default", "strict", "trusted"}) {
    const auto profile = *SecurityPolicy::from_profile(name);
    CHECK(*SecurityPolicy::from_json(profile.to_json()) == profile);
  }
}

TEST_CASE("A value of the wrong type is refused and its field named") {
  for (const auto& name : all_fields()) {
    INFO(name);
    const std::string quoted = "\"" + name + "\"";
    CHECK_THAT(refusal_of(name, true), ContainsSubstring(quoted));
    CHECK_THAT(refusal_of(name, Json::array({Json::object()})), ContainsSubstring(quoted));
    if (name != "env") CHECK_THAT(refusal_of(name, Json::object()), ContainsSubstring(quoted));
    const bool nullable = std::find(kNullable.begin(), kNullable.end(), name) != kNullable.end();
    if (!nullable) CHECK_THAT(refusal_of(name, nullptr), ContainsSubstring(quoted));
    CHECK_THAT(refusal_of(name, -1), ContainsSubstring(quoted));
    CHECK_THAT(refusal_of(name, 1e300), ContainsSubstring(quoted));
    if (name != "workspace_dir") CHECK_THAT(refusal_of(name, "1"), ContainsSubstring(quoted));
  }
}

TEST_CASE("Absurd numbers are refused and their field named") {
  for (const auto& name : kSeconds) {
    CHECK_THAT(refusal_of(name, -0.001), ContainsSubstring(name));
    CHECK_THAT(refusal_of(name, 2'592'001), ContainsSubstring(name));
    CHECK(accepted({{name, 2'592'000}}) != SecurityPolicy{});
  }
  for (const auto& name : kCounts) {
    CHECK_THAT(refusal_of(name, 1.5), ContainsSubstring(name));
    CHECK_THAT(refusal_of(name, ~0ULL), ContainsSubstring(name));
    CHECK_THAT(refusal_of(name, std::int64_t{-1} << 62), ContainsSubstring(name));
  }
  for (const char* name : {"cpu_seconds", "max_cpus"}) {
    CHECK_THAT(refusal_of(name, 0), ContainsSubstring(name));
    CHECK_THAT(refusal_of(name, -1.5), ContainsSubstring(name));
    CHECK_THAT(refusal_of(name, 1e12), ContainsSubstring(name));
  }
}

TEST_CASE("A zero that would lift a limit or stop everything is refused") {
  for (const char* name :
       {"timeout_s", "session_ttl_s", "idle_ttl_s", "max_memory_bytes", "max_open_files",
        "max_file_bytes", "workspace_bytes", "workspace_files", "max_stdout_bytes",
        "max_stderr_bytes", "max_text_bytes", "max_result_bytes"}) {
    CHECK_THAT(refusal_of(name, 0), ContainsSubstring(name));
  }
  // Here zero means none.
  for (const char* name : {"grace_s", "max_processes", "max_threads", "spool_bytes"}) {
    accepted({{name, 0}});
  }
}

TEST_CASE("A number that JSON does not have is refused") {
  for (const char* number : {"NaN", "Infinity", "-Infinity", "1e999", "0x10", "01", "1."}) {
    refusal(std::string(R"({"timeout_s": )") + number + "}");
  }
}

TEST_CASE("Null takes a limit away where there can be none") {
  for (const auto& name : kNullable) {
    const auto policy = accepted({{name, nullptr}});
    CHECK(Json::parse(policy.to_json())[name].is_null());
  }
  CHECK_FALSE(accepted({{"max_memory_bytes", nullptr}}).max_memory_bytes.has_value());
}

TEST_CASE("An empty import list means that nothing may be imported") {
  CHECK(accepted({{"allowed_imports", Json::array()}}).allowed_imports.empty());
  CHECK(accepted({{"allowed_imports", {"math"}}}).allowed_imports ==
        std::vector<std::string>{"math"});
  CHECK_THAT(refusal_of("allowed_imports", "math"), ContainsSubstring("allowed_imports"));
  CHECK_THAT(refusal_of("allowed_imports", Json::array({1})), ContainsSubstring("allowed_imports"));
}

TEST_CASE("A name that an enumeration does not have is refused with those that it has") {
  for (const auto& name : kNames) {
    const auto message = refusal_of(name, "ON");
    CHECK_THAT(message, ContainsSubstring("\"" + name + "\""));
    CHECK_THAT(message, ContainsSubstring("must be"));
  }
  CHECK_THAT(refusal_of("network", "host"), ContainsSubstring("network"));
  CHECK_THAT(refusal_of("isolation", "none "), ContainsSubstring("best_effort"));
}

TEST_CASE("Paths are absolute and environment names are possible ones") {
  CHECK_THAT(refusal_of("workspace_dir", "data"), ContainsSubstring("absolute"));
  CHECK_THAT(refusal_of("workspace_dir", ""), ContainsSubstring("absolute"));
  CHECK_THAT(refusal_of("workspace_dir", std::string("/a\0b", 4)), ContainsSubstring("NUL"));
  CHECK_THAT(refusal_of("read_paths", Json::array({"/ok", "../x"})), ContainsSubstring("absolute"));
  for (const std::string& name : {std::string(), std::string("A=B"), std::string("A\0B", 3)}) {
    CHECK_THAT(refusal_of("env", Json{{name, "x"}}), ContainsSubstring("env"));
  }
  CHECK_THAT(refusal_of("env", Json{{"A", std::string("\0", 1)}}), ContainsSubstring("env"));
  CHECK_THAT(refusal_of("env", Json{{"A", 1}}), ContainsSubstring("env"));
  CHECK(accepted({{"env", {{"A", "="}}}}).env.at("A") == "=");
}

TEST_CASE("An unknown field is refused and named, with the field that was meant") {
  CHECK_THAT(refusal(R"({"timeout": 5})"), ContainsSubstring("did you mean \"timeout_s\"?"));
  CHECK_THAT(refusal(R"({"colour": 5})"), ContainsSubstring("take it out"));
  CHECK_THAT(refusal(R"({"timeout": 5})"), ContainsSubstring("\"timeout\""));
  CHECK_THAT(refusal(R"({"Timeout_s": 5})"), ContainsSubstring("\"Timeout_s\""));
  CHECK_THAT(refusal(R"({"": 5})"), ContainsSubstring("\"\""));
}

TEST_CASE("A key that stands twice is refused and named") {
  CHECK_THAT(refusal(R"({"timeout_s": 5, "timeout_s": 500})"), ContainsSubstring("timeout_s"));
  CHECK_THAT(refusal(R"({"timeout_s": 5, "timeout\u005fs": 500})"), ContainsSubstring("timeout_s"));
  CHECK_THAT(refusal(R"({"env": {"A": "1", "B": "2", "A": "3"}})"), ContainsSubstring("\"A\""));
  accepted({{"env", {{"timeout_s", "1"}}}, {"timeout_s", 5}});
}

TEST_CASE("What is no JSON object, or nested too deeply, is refused") {
  for (const char* text : {"", "null", "[]", "5", "\"default\"", "{", "{}{}", "{'a': 1}",
                           "{\"timeout_s\": 5,}", "\xFF", "{\"env\": {\"A\": \"\xFF\"}}"}) {
    refusal(text);
  }
  for (const std::size_t depth : {std::size_t{6}, std::size_t{2'000'000}}) {
    CHECK_THAT(refusal("{\"env\": " + std::string(depth, '[')), ContainsSubstring("deep"));
  }
}

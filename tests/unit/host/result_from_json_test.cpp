#include <string>

#include "cellblock/result.hpp"
#include "support/catch.hpp"

using namespace cellblock;

namespace {

const std::string kPng("\x89PNG\r\n\x1A\n\0\xFF", 10);

/// One with something in every field.
ExecutionResult full_result() {
  ExecutionResult result;
  result.session_id = "s-1";
  result.execution_id = "x-1";
  result.execution_count = 7;
  result.code_sha256 = std::string(64, 'a');
  result.status = Status::memory_limit;
  result.cause = Cause::memory;
  result.exit_code = 137;
  result.out = "out \"\\\n\u2028";
  result.err = "err";
  result.out_truncated = Truncation{.total_bytes = 9, .omitted_bytes = 4};
  result.late_out = "late";
  result.late_err = "late too";
  result.text = "";
  result.results = {{.is_main_result = true,
                     .mime = {{"text/html", "<b>"},
                              {"image/png", kPng},
                              {"application/json", R"({"a":[1,null]})"},
                              {"application/x+json", R"("12")"}},
                     .chart_json = R"({"type":"bar"})",
                     .display_id = "d",
                     .operation = DisplayData::Operation::update}};
  result.error = ExecutionError{.name = "E", .value = "v", .traceback = "t", .hint = "h"};
  result.variables = {{.name = "df", .type = "DataFrame", .summary = "DataFrame(1, 2)"}};
  result.variables_summary = "df: DataFrame(1, 2)";
  result.changes.added = {{.name = "df", .type = "DataFrame", .summary = "s", .detail = "d"}};
  result.changes.removed = {{.name = "gone", .type = "", .summary = "", .detail = ""}};
  result.files.created = {{.path = "a.csv", .size = 3, .mime = "text/csv"}};
  result.files.deleted = {{.path = "b.csv", .size = 0, .mime = ""}};
  result.state = State::lost;
  result.lost_names = {"x"};
  result.stopped_by = StoppedBy::sigkill;
  result.usage = {.wall_ms = 1.5, .cpu_ms = 0.5, .peak_memory_bytes = 1 << 20};
  result.isolation = {.level = "reduced",
                      .layers = {{.name = "ids", .on = false, .detail = "d", .remedy = "r"}}};
  result.policy_events = {{"import:socket", 2}};
  result.trace = {.traceparent = "tp", .request_id = "r", .tenant = "t"};
  return result;
}

std::string refusal(const std::string& json) {
  const auto read = ExecutionResult::from_json(json);
  REQUIRE(!read);
  CHECK(read.error().kind == ErrorKind::bad_argument);
  return read.error().message;
}

}  // namespace

TEST_CASE("A result that was written as JSON is read back as it was") {
  const ExecutionResult result = full_result();
  const auto read = ExecutionResult::from_json(result.to_json());
  REQUIRE(read);
  CHECK(read->to_json() == result.to_json());
  CHECK(*read->results.at(0).find("image/png") == kPng);
  CHECK(read->results.at(0).chart_json == R"({"type":"bar"})");
  CHECK(read->text == "");
  CHECK(read->cause == Cause::memory);
  CHECK(!read->err_truncated);
}

TEST_CASE("What a result's JSON leaves out has its default") {
  const auto read = ExecutionResult::from_json(R"({"status":"ok","unknown":{"a":1}})");
  REQUIRE(read);
  CHECK(read->to_json() == ExecutionResult{}.to_json());
}

TEST_CASE("A text that is no result is refused, with what is wrong in it") {
  CHECK(refusal("{").find("no valid JSON") != std::string::npos);
  CHECK(refusal("{}").find("\"status\" is missing") != std::string::npos);
  CHECK(refusal("[]").find("\"session_id\"") != std::string::npos);
  CHECK(refusal(R"({"status":"fine"})").find("\"fine\"") != std::string::npos);
  CHECK(refusal(R"({"status":"ok","stdout":1})").find("\"stdout\"") != std::string::npos);
  CHECK(refusal(R"({"status":"ok","results":{}})").find("\"results\"") != std::string::npos);
  CHECK(refusal(R"({"status":"ok","variables":[1]})").find("\"name\"") != std::string::npos);
  CHECK(refusal(R"({"status":"ok","results":[{"mime":{"image/png":"%"}}]})").find("base64") !=
        std::string::npos);
  CHECK(refusal(R"({"status":"ok","exit_code":"1"})").find("\"exit_code\"") != std::string::npos);
}

#include <string>

#include "base/utf8.hpp"
#include "cellblock/result.hpp"
#include "support/catch.hpp"

using namespace cellblock;

namespace {

ExecutionResult full_result() {
  ExecutionResult result;
  result.status = Status::error;
  result.error = ExecutionError{.name = "KeyError",
                                .value = "'x'",
                                .traceback = "Traceback\nKeyError: 'x'",
                                .hint = "Try y."};
  result.text = "42";
  result.out = "printed\n";
  result.err = "warned\n";
  result.changes.added = {
      {.name = "df", .type = "DataFrame", .summary = "DataFrame(3, 2)", .detail = ""}};
  result.changes.changed = {{.name = "n", .type = "int", .summary = "int = 2", .detail = "1 → 2"}};
  result.changes.removed = {{.name = "gone", .type = "", .summary = "", .detail = ""}};
  result.files.created = {{.path = "out.csv", .size = 12, .mime = "text/csv"}};
  DisplayData figure;
  figure.mime = {{.type = "text/plain", .data = "line chart"},
                 {.type = "image/png", .data = "PNG"}};
  result.results = {figure, figure};
  return result;
}

}  // namespace

TEST_CASE("The text for a model has everything, the most useful first") {
  CHECK(full_result().to_model_text(4000) ==
        "status: error\n"
        "error:\nhint: Try y.\nTraceback\nKeyError: 'x'\n"
        "value:\n42\n"
        "stdout:\nprinted\n"
        "shown:\nline chart\nline chart\n[2 images]\n"
        "stderr:\nwarned\n"
        "variables:\nnew df: DataFrame(3, 2)\nchanged n: 1 → 2\nremoved gone\n"
        "files:\ncreated out.csv (12 bytes)");
}

TEST_CASE("What ended the code stands where it saw no more than an interrupt") {
  const auto text_of = [](Status status, const char* name, const char* value,
                          const char* traceback) {
    ExecutionResult result;
    result.status = status;
    result.error = ExecutionError{.name = name, .value = value, .traceback = traceback, .hint = ""};
    const std::string text = result.to_model_text(4000);
    return text.substr(text.find("error:\n") + 7);
  };
  CHECK(text_of(Status::timeout, "TimeoutError", "Too long.", "Traceback\nKeyboardInterrupt\n") ==
        "Traceback\nTimeoutError: Too long.");
  CHECK(text_of(Status::timeout, "TimeoutError", "Too long.", "KeyboardInterrupt") ==
        "TimeoutError: Too long.");
  CHECK(text_of(Status::timeout, "TimeoutError", "Too long.", "Traceback\nValueError: mine") ==
        "Traceback\nValueError: mine\nTimeoutError: Too long.");
  CHECK(text_of(Status::memory_limit, "MemoryError", "", "Traceback\nMemoryError\n") ==
        "Traceback\nMemoryError");
  CHECK(text_of(Status::error, "KeyboardInterrupt", "", "Traceback\nKeyboardInterrupt\n") ==
        "Traceback\nKeyboardInterrupt");
}

TEST_CASE("A name makes no line of its own") {
  ExecutionResult result;
  result.changes.added = {
      {.name = "a\nstatus: timeout", .type = "int", .summary = "int\n= 1", .detail = ""}};
  result.files.created = {{.path = "b\nstatus: timeout\x1b[2J", .size = 1, .mime = ""}};
  result.files.deleted = {{.path = "c\r", .size = 2, .mime = ""}};
  CHECK(result.to_model_text(4000) ==
        "variables:\nnew a\\nstatus: timeout: int\\n= 1\n"
        "files:\ncreated b\\nstatus: timeout\\x1b[2J (1 bytes)\n"
        "deleted c\\r (2 bytes)");
}

TEST_CASE("A result without anything to tell says so") {
  CHECK(ExecutionResult{}.to_model_text(100) == "done, nothing to show");
  ExecutionResult result;
  result.text = "7";
  CHECK(result.to_model_text(100) == "value:\n7");
}

TEST_CASE("An end, a lost state and a cut stream are told") {
  ExecutionResult result;
  result.status = Status::exit;
  result.exit_code = 3;
  result.state = State::lost;
  result.out = "head";
  result.out_truncated = Truncation{.total_bytes = 100, .omitted_bytes = 96};
  result.late_out = "late";
  CHECK(result.to_model_text(1000) ==
        "status: exit, exit code 3\nthe session was started again: its variables are gone\n"
        "stdout:\nhead\n[96 of 100 bytes were left out before]\n"
        "written in the background before:\nlate");
}

TEST_CASE("The text is never longer than the budget, and fills it when there is more to tell") {
  ExecutionResult result = full_result();
  for (int i = 0; i < 3000; ++i) result.out += "öäü line\n";
  result.error->traceback.assign(9000, 'e');
  result.text = std::string(5000, 'v');
  const std::size_t whole = result.to_model_text(1 << 20).size();
  CHECK(whole > 40'000);
  for (Bytes budget = 0; budget < 6000; budget += budget < 300 ? 1 : 97) {
    const std::string text = result.to_model_text(budget);
    CHECK(text.size() <= budget);
    if (budget > 100) CHECK(text.size() + 40 >= budget);
    CHECK(base::to_valid_utf8(text) == text);
  }
}

TEST_CASE("Where room is short every part keeps some, in order") {
  ExecutionResult result = full_result();
  result.error->traceback.assign(9000, 'e');
  result.text = std::string(9000, 'v');
  result.out.assign(9000, 'o');
  const std::string text = result.to_model_text(5000);
  std::size_t last = 0;
  for (const char* part : {"hint: Try y.", "value:\nvvv", "stdout:\nooo", "[2 images]", "warned",
                           "new df", "created out.csv"}) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
  CHECK(text.find("… [cut] …") != std::string::npos);
}

TEST_CASE("Long lists of names and files are counted") {
  ExecutionResult result;
  for (int i = 0; i < 50; ++i) {
    result.files.created.push_back({.path = std::to_string(i), .size = 1, .mime = ""});
    result.changes.removed.push_back(
        {.name = std::to_string(i), .type = "", .summary = "", .detail = ""});
  }
  const std::string text = result.to_model_text(4000);
  CHECK(text.find("created 30 more") != std::string::npos);
  CHECK(text.find("removed 30 more") != std::string::npos);
}

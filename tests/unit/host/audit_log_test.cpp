#include "host/audit_log.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

using namespace cellblock;
using cellblock::host::AuditLog;
using cellblock::test::read_file;
using cellblock::test::ScratchFolder;
using cellblock::test::write_file;
using Json = nlohmann::json;

namespace {

ExecutionResult result_of(const std::string& request_id = "") {
  ExecutionResult result;
  result.session_id = "s-1";
  result.execution_id = "x-1";
  result.code_sha256 = std::string(64, '0');
  result.status = Status::timeout;
  result.cause = Cause::wall_time;
  result.exit_code = 124;
  result.trace.request_id = request_id;
  return result;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream text(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("Each execution is one line of JSON with what is promised") {
  const ScratchFolder scratch;
  {
    const auto log = AuditLog::open(scratch / "audit.log", LogCode::no);
    REQUIRE(log);
    (*log)->write(result_of(), "print(1)", 2, 3);
    (*log)->write(result_of("r-7"), "secret code", 2, 3);
  }
  const auto lines = lines_of(scratch / "audit.log");
  REQUIRE(lines.size() == 2);
  const Json line = Json::parse(lines[0]);
  for (const char* name : {"time", "session_id", "execution_id", "code_sha256", "status", "cause",
                           "exit_code", "wall_ms", "cpu_ms", "code_bytes", "stdout_bytes",
                           "stderr_bytes", "result_count", "policy_events", "state"}) {
    INFO(name);
    CHECK(line.contains(name));
  }
  CHECK(line["status"] == "timeout");
  CHECK(line["cause"] == "wall_time");
  CHECK(line["code_bytes"] == 8);
  CHECK(line["stdout_bytes"] == 2);
  CHECK(line["stderr_bytes"] == 3);
  const auto time = line["time"].get<std::string>();
  CHECK(time.size() == 24);
  CHECK(time.ends_with("Z"));
  CHECK_FALSE(line.contains("request_id"));
  CHECK(Json::parse(lines[1])["request_id"] == "r-7");
  CHECK(lines[1].find("secret code") == std::string::npos);
}

TEST_CASE("The code stands in the log only when asked for") {
  const ScratchFolder scratch;
  {
    const auto log = AuditLog::open(scratch / "audit.log", LogCode::yes);
    REQUIRE(log);
    (*log)->write(result_of(), "x = 1\nprint('{}')", 0, 0);
  }
  const auto lines = lines_of(scratch / "audit.log");
  REQUIRE(lines.size() == 1);
  CHECK(Json::parse(lines[0])["code"] == "x = 1\nprint('{}')");
}

TEST_CASE("No text of a caller or session can forge a line") {
  const ScratchFolder scratch;
  const std::vector<std::string> attempts{"a\n{\"status\":\"ok\"}",
                                          "a\r\n{}",
                                          "a\xE2\x80\xA8"
                                          "b",
                                          "a\xE2\x80\xA9"
                                          "b",
                                          "a\xC2\x85"
                                          "b",
                                          "\x1B[2J",
                                          "\x9B"
                                          "31m",
                                          "\"}, {\"x\": \"",
                                          std::string("a\0b", 3),
                                          "\xFF\xFE",
                                          "{}%v%n%s",
                                          "\v\f\b\x7F"};
  {
    const auto log = AuditLog::open(scratch / "audit.log", LogCode::yes);
    REQUIRE(log);
    for (const auto& attempt : attempts) {
      auto result = result_of(attempt);
      result.trace.tenant = attempt;
      result.trace.traceparent = attempt;
      result.session_id = attempt;
      (*log)->write(result, attempt, 0, 0);
    }
  }
  const std::string text = read_file(scratch / "audit.log");
  for (const char c : text) {
    const bool plain = c == '\n' || (c >= 0x20 && c != 0x7F);
    REQUIRE(plain);
  }
  const auto lines = lines_of(scratch / "audit.log");
  REQUIRE(lines.size() == attempts.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    INFO(lines[i]);
    const Json line = Json::parse(lines[i], nullptr, false);
    REQUIRE(line.is_object());
    CHECK(line["status"] == "timeout");
  }
}

TEST_CASE("A log that exists is continued and its mode is private when made") {
  const ScratchFolder scratch;
  write_file(scratch / "audit.log", "before\n");
  REQUIRE(AuditLog::open(scratch / "audit.log", LogCode::no));
  CHECK(lines_of(scratch / "audit.log") == std::vector<std::string>{"before"});
  REQUIRE(AuditLog::open(scratch / "fresh.log", LogCode::no));
  CHECK(mode_of(scratch / "fresh.log") == 0600);
}

TEST_CASE("A full log is rotated, stays private, and keeps five old ones") {
  const ScratchFolder scratch;
  const auto log = AuditLog::open(scratch / "audit.log", LogCode::yes);
  REQUIRE(log);
  const std::string code(1 << 20, 'x');
  for (int i = 0; i < 16 * 7 + 2; ++i) (*log)->write(result_of(), code, 0, 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    ++files;
    INFO(entry.path());
    CHECK(entry.file_size() <= (16U << 20));
    CHECK(mode_of(entry.path()) == 0600);
  }
  CHECK(files == 6);
  CHECK(std::filesystem::exists(scratch / "audit.5.log"));
}

TEST_CASE("A place that cannot be written to is refused with what to do") {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch / "folder");
  REQUIRE(::mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  for (const std::string& path : {scratch / "missing/audit.log", scratch / "folder",
                                  scratch / "pipe", std::string("/dev/null"), std::string()}) {
    INFO(path);
    const auto log = AuditLog::open(path, LogCode::no);
    REQUIRE_FALSE(log);
    CHECK(log.error().kind == ErrorKind::bad_argument);
    CHECK(log.error().message.find("audit log") != std::string::npos);
  }
}

TEST_CASE("Lines of several threads do not mix") {
  const ScratchFolder scratch;
  const auto log = AuditLog::open(scratch / "audit.log", LogCode::yes);
  REQUIRE(log);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log, i] {
      for (int k = 0; k < 50; ++k) (*log)->write(result_of(), std::string(2000, 'a' + i), 0, 0);
    });
  }
  for (auto& thread : threads) thread.join();
  const auto lines = lines_of(scratch / "audit.log");
  CHECK(lines.size() == 200);
  for (const auto& line : lines) CHECK(Json::accept(line));
}

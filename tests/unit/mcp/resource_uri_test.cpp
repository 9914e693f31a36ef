#include "mcp/resource_uri.hpp"

#include <string>

#include "support/catch.hpp"

namespace cellblock::mcp {
namespace {

TEST_CASE("a file's address gives its path back, whatever is in it") {
  for (const std::string path :
       {"a.csv", "in/ä b.txt", "100%", "a?b#c", "\x1b[2J", "../x", "a//b"}) {
    const auto parsed = parse_uri(file_uri("s-1", path));
    REQUIRE(parsed);
    CHECK(parsed->session_id == "s-1");
    CHECK(parsed->path == path);
  }
  CHECK(file_uri("s-1", "ä b") == "cellblock://sessions/s-1/files/%C3%A4%20b");
}

TEST_CASE("an output's address says where to begin") {
  const auto uri = output_uri("s-1", "x-2", OutputStream::err);
  const auto parsed = parse_uri(uri);
  REQUIRE(parsed);
  CHECK(parsed->execution_id == "x-2");
  CHECK(parsed->stream == OutputStream::err);
  CHECK(parsed->offset == 0);
  CHECK(parse_uri(uri + "?offset=70")->offset == 70);
}

TEST_CASE("what is none of our addresses is none") {
  for (const char* uri :
       {"", "x", "file:///etc/passwd", "cellblock://sessions/", "cellblock://sessions/s-1",
        "cellblock://sessions/s-1/files/", "cellblock://sessions//files/a",
        "cellblock://sessions/s-1/other/a", "cellblock://sessions/s-1/files/%g0",
        "cellblock://sessions/s-1/files/%2", "cellblock://sessions/s-1/outputs/x/stdin",
        "cellblock://sessions/s-1/outputs/stdout", "cellblock://sessions/s-1/outputs/x/stdout?a=1",
        "cellblock://sessions/s-1/outputs/x/stdout?offset=-1",
        "cellblock://sessions/s-1/outputs/x/stdout?offset=99999999999999999999"}) {
    INFO(uri);
    CHECK_FALSE(parse_uri(uri));
  }
}

}  // namespace
}  // namespace cellblock::mcp

#include "mcp/mirrored_headers.hpp"

#include <string>

#include "base/base64.hpp"
#include "support/catch.hpp"

namespace cellblock::mcp {
namespace {

Message call(const std::string& tool) {
  return *Message::parse(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":)" +
                         rpc::to_text(tool) +
                         R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
}

int code(const MirroredHeaders& headers, const Message& message) {
  const auto wrong = check_headers(headers, message.body());
  return wrong ? wrong->code : 0;
}

TEST_CASE("headers that repeat the message are right") {
  CHECK(code({"2026-07-28", "tools/call", "execute_python"}, call("execute_python")) == 0);
  CHECK(code({"2026-07-28", "tools/call", "=?base64?ZXhlY3V0ZV9weXRob24=?="},
             call("execute_python")) == 0);
  const std::string name = "täglich";
  CHECK(code({"2026-07-28", "tools/call", "=?base64?" + base::base64_encode(name) + "?="},
             call(name)) == 0);
}

TEST_CASE("a header that is missing or says something else is a mismatch") {
  const auto message = call("a");
  CHECK(code({std::nullopt, "tools/call", "a"}, message) == kHeaderMismatch);
  CHECK(code({"2025-11-25", "tools/call", "a"}, message) == kHeaderMismatch);
  CHECK(code({"2026-07-28", std::nullopt, "a"}, message) == kHeaderMismatch);
  CHECK(code({"2026-07-28", "Tools/Call", "a"}, message) == kHeaderMismatch);
  CHECK(code({"2026-07-28", "tools/call", std::nullopt}, message) == kHeaderMismatch);
  CHECK(code({"2026-07-28", "tools/call", "b"}, message) == kHeaderMismatch);
}

TEST_CASE("a name that is no header value is a mismatch") {
  CHECK(code({"2026-07-28", "tools/call", "t\xc3\xa4"}, call("tä")) == kHeaderMismatch);
  CHECK(code({"2026-07-28", "tools/call", "=?base64?!!?="}, call("a")) == kHeaderMismatch);
  CHECK(code({"2026-07-28", "tools/call", "=?BASE64?YQ==?="}, call("a")) == kHeaderMismatch);
}

TEST_CASE("a method without a name needs no Mcp-Name") {
  const auto message =
      *Message::parse(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
                      R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  CHECK(code({"2026-07-28", "tools/list", std::nullopt}, message) == 0);
}

}  // namespace
}  // namespace cellblock::mcp

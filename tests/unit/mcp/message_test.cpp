#include "mcp/message.hpp"

#include <string>

#include "mcp/message_body.hpp"
#include "support/catch.hpp"

namespace cellblock::mcp {
namespace {

Answer error_of(const std::string& text) {
  auto message = Message::parse(text);
  return message ? Answer{} : message.error();
}

TEST_CASE("a message is a request, a notification or a response") {
  auto request = Message::parse(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})");
  REQUIRE(request);
  CHECK(request->kind() == Message::Kind::request);
  CHECK(request->method() == "m");
  CHECK(request->wants_answer());
  CHECK(request->body().params["x"] == 1);

  auto notification = Message::parse(R"({"jsonrpc":"2.0","method":"n"})");
  REQUIRE(notification);
  CHECK(notification->kind() == Message::Kind::notification);
  CHECK_FALSE(notification->wants_answer());

  auto response = Message::parse(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  REQUIRE(response);
  CHECK(response->kind() == Message::Kind::response);
}

TEST_CASE("the era is the message's own") {
  const auto era = [](const std::string& method, const std::string& meta) {
    return Message::parse(R"({"jsonrpc":"2.0","id":1,"method":")" + method +
                          R"(","params":{"_meta":)" + meta + "}}")
        ->era();
  };
  CHECK(era("tools/list", "{}") == Era::handshake);
  CHECK(era("tools/list", R"({"progressToken":1})") == Era::handshake);
  CHECK(era("tools/list", R"({"io.modelcontextprotocol/protocolVersion":"x"})") == Era::stateless);
  CHECK(era("tools/list", R"({"io.modelcontextprotocol/clientInfo":{}})") == Era::stateless);
  CHECK(era("server/discover", "{}") == Era::stateless);
  CHECK(era("subscriptions/listen", "{}") == Era::stateless);
}

TEST_CASE("a batch keeps what is no message as an answer") {
  auto batch = Message::parse(R"([{"jsonrpc":"2.0","method":"n"},7])");
  REQUIRE(batch);
  CHECK(batch->kind() == Message::Kind::batch);
  CHECK(batch->wants_answer());
  REQUIRE(batch->body().parts.size() == 2);
  CHECK(batch->body().parts[0].has_value());
  CHECK_FALSE(batch->body().parts[1].has_value());
}

TEST_CASE("the id is given back where it can be read, and left out where not") {
  CHECK(error_of(R"({"jsonrpc":"1.0","id":"a","method":"m"})").text.find(R"("id":"a")") !=
        std::string::npos);
  CHECK(error_of(R"({"jsonrpc":"2.0","id":[],"method":"m"})").text.find("\"id\":") ==
        std::string::npos);
  CHECK(error_of("nonsense").text.find("\"id\":") == std::string::npos);
}

TEST_CASE("what is no message is malformed") {
  for (const char* text : {"", "{", "7", "[]", "{}", R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
                           R"({"jsonrpc":"2.0","id":1,"id":1,"method":"m"})",
                           R"({"jsonrpc":"2.0","id":1,"method":"m","params":3})",
                           R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":3}})"}) {
    INFO(text);
    CHECK(error_of(text).kind == Answer::Kind::malformed);
  }
  CHECK(error_of(std::string(200'000, '[')).kind == Answer::Kind::malformed);
}

}  // namespace
}  // namespace cellblock::mcp

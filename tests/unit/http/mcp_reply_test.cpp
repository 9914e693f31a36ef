#include "http/mcp_reply.hpp"

#include <vector>

#include "support/catch.hpp"

namespace cellblock::http {
namespace {

using Kind = mcp::Answer::Kind;

// Notes what it is told to do.
class Recorder final : public Exchange {
 public:
  [[nodiscard]] const Request& request() const override { return request_; }
  [[nodiscard]] std::string take_body() override { return {}; }
  void respond(const Response& response) override { responses.push_back(response); }
  void open_stream(const Headers& /*headers*/) override { events.emplace_back("(open)"); }
  bool send_event(std::string_view data) override {
    events.emplace_back(data);
    return true;
  }
  void end_stream() override { events.emplace_back("(end)"); }
  void hold(std::shared_ptr<const void> /*held*/) override {}
  void on_gone(std::function<void()> /*call*/) override {}

  std::vector<Response> responses;
  std::vector<std::string> events;

 private:
  Request request_;
};

unsigned status(Kind kind, mcp::Era era) {
  const auto recorder = std::make_shared<Recorder>();
  McpReply(recorder, {.era = era, .streams = true, .headers_of_result = nullptr})
      .finish({.kind = kind, .text = "{}"});
  REQUIRE(recorder->responses.size() == 1);
  CHECK(recorder->events.empty());
  return recorder->responses[0].status;
}

TEST_CASE("what was refused has a status of its own") {
  for (const auto era : {mcp::Era::handshake, mcp::Era::stateless}) {
    CHECK(status(Kind::none, era) == 202);
    CHECK(status(Kind::result, era) == 200);
    CHECK(status(Kind::error, era) == 200);
    CHECK(status(Kind::malformed, era) == 400);
  }
  CHECK(status(Kind::no_method, mcp::Era::handshake) == 200);
  CHECK(status(Kind::no_method, mcp::Era::stateless) == 404);
}

TEST_CASE("a notification makes the answer a stream") {
  const auto recorder = std::make_shared<Recorder>();
  McpReply reply(recorder, {.streams = true, .headers_of_result = nullptr});
  reply.notify("1");
  reply.stream();
  reply.finish({.kind = Kind::result, .text = "2"});
  reply.stream();
  CHECK(recorder->events == std::vector<std::string>{"(open)", "1", "2", "(end)"});
  CHECK(recorder->responses.empty());
}

TEST_CASE("a stream of a request that was cancelled ends without an answer") {
  const auto recorder = std::make_shared<Recorder>();
  McpReply reply(recorder, {.streams = true, .headers_of_result = nullptr});
  reply.stream();
  reply.finish({});
  CHECK(recorder->events == std::vector<std::string>{"(open)", "(end)"});
}

TEST_CASE("a client that takes no stream gets none") {
  const auto recorder = std::make_shared<Recorder>();
  McpReply reply(recorder, {.streams = false, .headers_of_result = nullptr});
  reply.stream();
  reply.finish({.kind = Kind::result, .text = "2"});
  CHECK(recorder->events.empty());
  REQUIRE(recorder->responses.size() == 1);
  CHECK(recorder->responses[0].body == "2");
}

TEST_CASE("headers are made for a result only") {
  int made = 0;
  const auto headers = [&made] {
    ++made;
    return Headers{{"X", "y"}};
  };
  const auto recorder = std::make_shared<Recorder>();
  McpReply(recorder, {.headers_of_result = headers}).finish({.kind = Kind::error, .text = "e"});
  CHECK(made == 0);
  McpReply(recorder, {.headers_of_result = headers}).finish({.kind = Kind::result, .text = "r"});
  CHECK(made == 1);
  CHECK(recorder->responses.at(1).headers == Headers{{"X", "y"}});
}

}  // namespace
}  // namespace cellblock::http

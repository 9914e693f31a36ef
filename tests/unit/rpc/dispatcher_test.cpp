#include "rpc/dispatcher.hpp"

#include <unistd.h>

#include <array>
#include <future>
#include <vector>

#include "base/socket.hpp"
#include "support/catch.hpp"

namespace cellblock::rpc {
namespace {

constexpr std::chrono::milliseconds kSoon{30'000};

// A dispatcher whose methods are only those that need no executor.
struct Peer {
  base::FdPair pipe = base::make_pipe();
  Executors executors{ExecutorOptions{}};
  Sessions sessions;
  Outbox outbox{std::move(pipe.second), [] {}};
  AnswerRoom answers{64U << 20};
  Engine engine{executors, sessions, outbox, {}, answers};
  Workers workers{kMaxRequests};
  Dispatcher dispatcher{engine, workers};

  // Everything that was written, a JSON value a line.
  std::vector<Json> take(const std::string& line) {
    dispatcher.take(line);
    REQUIRE(workers.wait_until_idle(kSoon));
    outbox.send("end");
    std::string text;
    std::array<char, 4096> chunk{};
    while (!text.ends_with("end\n")) {
      const ssize_t count = ::read(pipe.first.get(), chunk.data(), chunk.size());
      REQUIRE(count > 0);
      text.append(chunk.data(), static_cast<std::size_t>(count));
    }
    std::vector<Json> values;
    for (std::size_t at = 0; !text.substr(at).starts_with("end\n");) {
      const auto end = text.find('\n', at);
      values.push_back(Json::parse(text.substr(at, end - at)));
      at = end + 1;
    }
    return values;
  }

  Json one(const std::string& line) {
    const auto values = take(line);
    REQUIRE(values.size() == 1);
    CHECK(values[0]["jsonrpc"] == "2.0");
    return values[0];
  }
};

TEST_CASE("every error has a code, a kind and a sentence") {
  Peer peer;
  const auto [line, code, kind] = GENERATE(table<const char*, int, const char*>({
      {"nonsense", -32700, "bad_argument"},
      {"5", -32600, "bad_argument"},
      {"[]", -32600, "bad_argument"},
      {R"({"jsonrpc":"2.0","id":1})", -32600, "bad_argument"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"none"})", -32600, "bad_argument"},
      {R"({"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"none"})", -32600,
       "bad_argument"},
      {R"({"jsonrpc":"2.0","id":1,"method":"none"})", -32601, "bad_argument"},
      {R"({"jsonrpc":"2.0","id":1,"method":"session.files","params":[]})", -32602, "bad_argument"},
      {R"({"jsonrpc":"2.0","id":1,"method":"session.files"})", -32602, "bad_argument"},
      {R"({"jsonrpc":"2.0","id":1,"method":"session.files","params":{"session_id":"s"}})", -32000,
       "unknown_session"},
      {R"({"jsonrpc":"2.0","id":1,"method":"session.save"})", -32000, "unsupported"},
      {R"({"jsonrpc":"2.0","id":1,"method":"session.open","params":{"policy":{"x":1}}})", -32000,
       "policy_invalid"},
  }));
  const Json answer = peer.one(line);
  CHECK(answer["error"]["code"] == code);
  CHECK(answer["error"]["data"]["kind"] == kind);
  CHECK(answer["error"]["message"].get<std::string>().ends_with("."));
}

TEST_CASE("an id comes back as it was") {
  Peer peer;
  const auto* id = GENERATE("\"a\"", "0", "-3", "null", "18446744073709551615");
  const Json answer =
      peer.one(R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":"none"})");
  CHECK(answer["id"] == Json::parse(id));
}

TEST_CASE("a request without an id is not answered, whatever becomes of it") {
  Peer peer;
  CHECK(peer.take(R"({"jsonrpc":"2.0","method":"none"})").empty());
  CHECK(peer.take(R"({"jsonrpc":"2.0","method":"session.files","params":{"x":1}})").empty());
  CHECK(peer.take(" \t\r").empty());
}

TEST_CASE("a batch is answered with one array, without its notifications") {
  Peer peer;
  const Json answers = peer.take(R"([{"jsonrpc":"2.0","id":1,"method":"none"}, 3,
      {"jsonrpc":"2.0","method":"none"}])")[0];
  REQUIRE(answers.is_array());
  CHECK(answers.size() == 2);
  CHECK(peer.take(R"([{"jsonrpc":"2.0","method":"none"}])").empty());
}

TEST_CASE("a batch that is too large is refused whole") {
  Peer peer;
  std::string batch = "[0";
  for (int i = 0; i < 1000; ++i) batch += ",0";
  CHECK(peer.one(batch + "]")["error"]["code"] == -32600);
}

TEST_CASE("when too many requests are under way only the urgent ones are taken") {
  Peer peer;
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  while (peer.workers.room() > kUrgentRoom) {
    REQUIRE(peer.workers.run([open] { open.wait(); }));
  }
  const auto request = [](const std::string& method) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{"session_id":"s"}})";
  };
  peer.dispatcher.take(request("session.files"));
  peer.dispatcher.take(request("session.interrupt"));
  gate.set_value();
  const auto answers = peer.take("");
  REQUIRE(answers.size() == 2);
  CHECK(answers[0]["error"]["data"]["kind"] == "busy_limit");
  CHECK(answers[1]["error"]["data"]["kind"] == "unknown_session");
}

}  // namespace
}  // namespace cellblock::rpc

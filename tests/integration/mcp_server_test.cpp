// The MCP core as a transport for many peers uses it: without a session of the process's own.
#include "mcp/server.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mcp/resource_uri.hpp"
#include "mcp/session_book.hpp"
#include "rpc/json_text.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

namespace cellblock::mcp {
namespace {

using namespace std::chrono_literals;
using rpc::Json;

/// Keeps what it gets; what breaks the rules of a Reply is noted.
class Kept final : public Reply {
 public:
  void notify(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    if (finished_ > 0) ++broken_;
    told_.push_back(Json::parse(text));
    changed_.notify_all();
  }
  void finish(const Answer& answer) override {
    const std::lock_guard lock(mutex_);
    if (++finished_ > 1) ++broken_;
    answer_ = answer;
    changed_.notify_all();
  }

  Answer wait() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, test::kLong, [this] { return finished_ > 0; })) {
      throw std::runtime_error("no answer in time");
    }
    return answer_;
  }
  void wait_until_told() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, test::kLong, [this] { return !told_.empty(); })) {
      throw std::runtime_error("nothing told in time");
    }
  }
  [[nodiscard]] int broken() const { return broken_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Json> told_;
  Answer answer_;
  int finished_ = 0;
  int broken_ = 0;
};

ServerOptions options() {
  ServerOptions made;
  made.executor.preload.clear();
  made.policy.timeout = 60s;
  return made;
}

std::unique_ptr<Server> make_server(ServerOptions given = options()) {
  auto server = Server::create(std::move(given));
  if (!server) throw std::runtime_error(server.error().message);
  return *std::move(server);
}

Message request(const std::string& method, Json params, const Json& id = 1) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
  return *Message::parse(rpc::to_text(
      {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
}

Message call(const std::string& tool, const Json& arguments) {
  return request("tools/call",
                 {{"name", tool}, {"arguments", arguments}, {"_meta", {{"progressToken", "t"}}}});
}

/// The result's structured content; empty when the tool refused.
Json run(Server& server, const std::string& tool, const Json& arguments) {
  const auto reply = std::make_shared<Kept>();
  server.handle(call(tool, arguments), {}, reply);
  const Json answer = Json::parse(reply->wait().text);
  return answer["result"].value("structuredContent", Json::object());
}

std::string text(Server& server, const std::string& tool, const Json& arguments) {
  const auto reply = std::make_shared<Kept>();
  server.handle(call(tool, arguments), {}, reply);
  std::string all;
  const Json answer = Json::parse(reply->wait().text);
  for (const auto& block : answer["result"]["content"]) all += block.value("text", "") + "\n";
  return all;
}

TEST_CASE("a call that names no session gets a new one, whose id leads back to it") {
  const auto server = make_server();
  const Json first = run(*server, "execute_python", {{"code", "x = 41"}});
  const Json second = run(*server, "execute_python", {{"code", "'x' in globals()"}});
  CHECK(first["session_id"] != second["session_id"]);
  CHECK(second["text"] == "False");
  const Json again =
      run(*server, "execute_python", {{"code", "x + 1"}, {"session_id", first["session_id"]}});
  CHECK(again["text"] == "42");
  CHECK_THAT(text(*server, "execute_python", {{"code", "1"}}),
             Catch::Matchers::ContainsSubstring("session_id: s-"));
}

TEST_CASE("a new session can be filled before code runs in it") {
  const auto server = make_server();
  const Json file = run(*server, "upload_file", {{"path", "a.txt"}, {"content", "abc"}});
  const Json read = run(*server, "execute_python",
                        {{"code", "open('a.txt').read()"}, {"session_id", file["session_id"]}});
  CHECK(read["text"] == "'abc'");
}

TEST_CASE("tools that look into a session ask for one") {
  const auto server = make_server();
  for (const char* tool : {"list_variables", "list_files", "interrupt"}) {
    CHECK_THAT(text(*server, tool, Json::object()),
               Catch::Matchers::ContainsSubstring("session_id is needed"));
  }
  const auto listed = std::make_shared<Kept>();
  server->handle(request("resources/list", Json::object()), {}, listed);
  CHECK(Json::parse(listed->wait().text)["result"]["resources"].empty());
}

TEST_CASE("a peer that vanishes stops its code, and the session that nobody knows of goes") {
  auto limited = options();
  limited.executor.max_sessions = 1;
  const auto server = make_server(std::move(limited));
  const auto reply = std::make_shared<Kept>();
  const auto live = server->handle(
      call("execute_python", {{"code", "print(1, flush=True)\nwhile True: pass"}}), {}, reply);
  reply->wait_until_told();
  live->cancel();
  CHECK(reply->wait().kind == Answer::Kind::none);
  live->cancel();
  CHECK(reply->broken() == 0);
  // There is room again.
  CHECK(run(*server, "execute_python", {{"code", "1 + 1"}})["text"] == "2");
}

TEST_CASE("a session that a call opened goes when the call is cancelled before its answer") {
  const test::ScratchFolder scratch;
  test::write_file(scratch / "wait.py", "import os, time\nwhile not os.path.exists('" +
                                            (scratch / "go") + "'):\n    time.sleep(0.01)\n");
  const auto& [tool, arguments] =
      GENERATE(table<std::string, Json>({{"upload_file", {{"path", "a.txt"}, {"content", "abc"}}},
                                         {"reset_session", Json::object()}}));
  INFO(tool);
  auto limited = options();
  limited.executor.max_sessions = 1;
  limited.executor.helpers = scratch / "wait.py";
  const auto server = make_server(std::move(limited));
  const auto reply = std::make_shared<Kept>();
  // No session opens before there is "go".
  const auto live = server->handle(call(tool, arguments), {}, reply);
  live->cancel();
  test::write_file(scratch / "go", "");
  CHECK(reply->wait().kind == Answer::Kind::none);
  CHECK(run(*server, "execute_python", {{"code", "1 + 1"}})["text"] == "2");
}

TEST_CASE("a session that a call opened goes when the call fails without telling it") {
  auto limited = options();
  limited.executor.max_sessions = 1;
  const auto server = make_server(std::move(limited));
  CHECK_THAT(text(*server, "upload_file", {{"path", "../a.txt"}, {"content", "abc"}}),
             Catch::Matchers::ContainsSubstring("leads outside"));
  CHECK(run(*server, "execute_python", {{"code", "1 + 1"}})["text"] == "2");
}

TEST_CASE("a session that has ended is told with its own reason") {
  const auto executor = test::make_executor();
  SecurityPolicy policy;
  policy.idle_ttl = 1s;
  policy.session_ttl = 3s;
  SessionBook book(*executor, policy, tool::UnnamedSession::fresh, 30s);
  const auto told_of = [&book](const SessionHandle& session) {
    const auto found = book.find(session->session().id());
    return found ? std::string() : found.error().message;
  };
  const auto closed = book.unnamed()->session;
  closed->session().close();
  CHECK_THAT(told_of(closed), Catch::Matchers::ContainsSubstring(" was closed; "));
  const auto opened = std::chrono::steady_clock::now();
  const auto expired = book.unnamed()->session;
  // Asked long after its end: by then its lifetime would be over, too.
  REQUIRE(test::wait_until([&] {
    return expired->session().ended() &&
           std::chrono::steady_clock::now() > opened + policy.session_ttl;
  }));
  const bool was_idle = expired->session().end_reason() == EndReason::idle_ttl;
  CHECK_THAT(told_of(expired),
             Catch::Matchers::ContainsSubstring(was_idle ? "expired after 1 s idle"
                                                         : "after its lifetime of 3 s"));
}

TEST_CASE("a file is read without a look at the others, and what is no file is told") {
  const test::ScratchFolder scratch;
  auto small = options();
  small.policy.workspace_dir = scratch.path();
  small.policy.workspace_files = 1;  // a list of them ends there
  const auto server = make_server(std::move(small));
  const auto id = run(*server, "execute_python", {{"code", "1"}})["session_id"];
  test::write_file(scratch / "a.txt", "abc");
  test::write_file(scratch / "b.txt", "abc");
  const auto read = [&](const std::string& path) {
    return run(*server, "download_file", {{"path", path}, {"session_id", id}});
  };
  for (const char* path : {"a.txt", "b.txt"}) {
    CHECK(read(path).value("mime", "") == "text/plain");
    const auto reply = std::make_shared<Kept>();
    server->handle(request("resources/read", {{"uri", file_uri(id.get<std::string>(), path)}}), {},
                   reply);
    CHECK(Json::parse(reply->wait().text)["result"]["contents"][0]["text"] == "abc");
  }
  CHECK(read("c.txt").empty());
  CHECK(read(".").empty());
}

TEST_CASE("where there is no room, the session that nobody came back to makes it") {
  auto limited = options();
  limited.executor.max_sessions = 2;
  limited.abandoned_after = 0ms;
  const auto server = make_server(std::move(limited));
  const Json known = run(*server, "execute_python", {{"code", "x = 1"}});
  run(*server, "execute_python", {{"code", "1"}, {"session_id", known["session_id"]}});
  const Json left_alone = run(*server, "execute_python", {{"code", "x = 2"}});
  // Whoever has had an answer is not quite done with the session yet.
  CHECK(test::wait_until([&] {
    return run(*server, "execute_python", {{"code", "3"}}).value("text", "") == "3";
  }));
  CHECK(run(*server, "execute_python",
            {{"code", "x"}, {"session_id", known["session_id"]}})["text"] == "1");
  CHECK_THAT(
      text(*server, "execute_python", {{"code", "x"}, {"session_id", left_alone["session_id"]}}),
      Catch::Matchers::ContainsSubstring("was ended to make room"));
}

TEST_CASE("where nothing can be ended, a new session is refused with what to do") {
  auto limited = options();
  limited.executor.max_sessions = 1;
  const auto server = make_server(std::move(limited));
  run(*server, "execute_python", {{"code", "1"}});
  CHECK_THAT(text(*server, "execute_python", {{"code", "1"}}),
             Catch::Matchers::ContainsSubstring("pass the session_id of an earlier result"));
}

TEST_CASE("with as many calls under way as there may be, code can still be stopped") {
  const auto server = make_server();
  const std::string id = run(*server, "execute_python", {{"code", "n = 0"}})["session_id"];
  std::vector<std::shared_ptr<Kept>> replies;
  for (int i = 0; i <= 512; ++i) {
    const char* code = i == 0 ? "while True: pass" : "n += 1";
    replies.push_back(std::make_shared<Kept>());
    server->handle(call("execute_python", {{"code", code}, {"session_id", id}}), {},
                   replies.back());
  }
  const auto refused = Json::parse(replies.back()->wait().text);
  CHECK_THAT(refused["error"].value("message", ""),
             Catch::Matchers::StartsWith("Too many requests are under way"));
  const auto listed = std::make_shared<Kept>();
  server->handle(request("tools/list", Json::object()), {}, listed);
  CHECK(Json::parse(listed->wait().text)["result"]["tools"].size() == 9);

  CHECK(run(*server, "interrupt", {{"session_id", id}})["interrupted"] == true);
  for (const auto& reply : replies) CHECK(reply->wait().kind != Answer::Kind::none);
  CHECK(run(*server, "execute_python", {{"code", "n"}, {"session_id", id}})["text"] == "511");
}

TEST_CASE("headers are held against the message, and refusals say which status they are") {
  const auto server = make_server();
  const auto answer = [&](const Message& message, const MirroredHeaders& headers) {
    const auto reply = std::make_shared<Kept>();
    server->handle(message, {.headers = headers}, reply);
    return reply->wait();
  };
  const MirroredHeaders right{"2026-07-28", "tools/call", "list_files"};
  const auto message = call("list_files", Json::object());
  CHECK(answer(message, right).kind == Answer::Kind::result);
  const auto wrong = answer(message, {"2026-07-28", "tools/call", "other"});
  CHECK(wrong.kind == Answer::Kind::malformed);
  CHECK(Json::parse(wrong.text)["error"]["code"] == -32020);
  CHECK(answer(request("no/such", Json::object()), {"2026-07-28", "no/such", {}}).kind ==
        Answer::Kind::no_method);
  CHECK(answer(call("no_such_tool", Json::object()), {"2026-07-28", "tools/call", "no_such_tool"})
            .kind == Answer::Kind::error);
}

TEST_CASE("the handshake is each connection's own") {
  const auto server = make_server();
  const auto ask = [&](const std::string& line, const std::shared_ptr<Connection>& connection,
                       std::optional<std::string> version = std::nullopt) {
    const auto reply = std::make_shared<Kept>();
    server->handle(*Message::parse(line),
                   {.connection = connection,
                    .headers = MirroredHeaders{.protocol_version = std::move(version)}},
                   reply);
    return reply->wait();
  };
  const auto connection = Server::connect();
  CHECK(Server::agreed_version(*connection).empty());
  const std::string list = R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})";
  CHECK(ask(list, connection).kind == Answer::Kind::malformed);
  CHECK(ask(list, nullptr).kind == Answer::Kind::malformed);
  ask(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})",
      connection);
  CHECK(Server::agreed_version(*connection) == "2025-06-18");
  CHECK(ask(list, connection, "2025-06-18").kind == Answer::Kind::result);
  CHECK(ask(list, connection).kind == Answer::Kind::result);
  CHECK(ask(list, connection, "2025-11-25").kind == Answer::Kind::malformed);
  CHECK(ask(list, Server::connect()).kind == Answer::Kind::malformed);
}

TEST_CASE("many peers at once get their own answers") {
  const auto server = make_server();
  std::vector<std::thread> peers;
  std::mutex mutex;
  int right = 0;
  for (int peer = 0; peer < 8; ++peer) {
    peers.emplace_back([&, peer] {
      for (int i = 0; i < 3; ++i) {
        const std::string code = std::to_string(peer) + " * 100 + " + std::to_string(i);
        const Json result = run(*server, "execute_python", {{"code", code}});
        const std::lock_guard lock(mutex);
        right += result["text"] == std::to_string(peer * 100 + i) ? 1 : 0;
      }
    });
  }
  for (auto& peer : peers) peer.join();
  CHECK(right == 24);
}

TEST_CASE("closing ends every call and takes no more") {
  const auto server = make_server();
  const auto endless = std::make_shared<Kept>();
  server->handle(call("execute_python", {{"code", "print(1, flush=True)\nwhile True: pass"}}), {},
                 endless);
  const auto open = std::make_shared<Kept>();
  server->handle(request("subscriptions/listen", {{"notifications", Json::object()}}, 2), {}, open);
  endless->wait_until_told();
  CHECK(server->close(20s));
  CHECK(endless->wait().kind == Answer::Kind::none);
  CHECK(open->wait().kind == Answer::Kind::result);
  const auto late = std::make_shared<Kept>();
  server->handle(request("tools/list", Json::object()), {}, late);
  CHECK(late->wait().kind == Answer::Kind::error);
}

}  // namespace
}  // namespace cellblock::mcp

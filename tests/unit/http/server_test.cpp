#include "http/server.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "raw_client.hpp"
#include "support/catch.hpp"

namespace cellblock::http {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kToken = "0123456789abcdef";

// A server with a few routes:
//   POST /echo     gives the body back
//   POST /stream   is answered by the test, through `exchanges`
class Running {
 public:
  explicit Running(const Limits& limits = {}) {
    auto made = Server::listen(
        {}, {.token = *Token::from_text(kToken, "a test"), .hosts = {}, .origins = {}}, limits);
    REQUIRE(made);
    server = std::move(*made);
    server->route("/echo",
                  {.methods = {"POST"}, .handler = [](const std::shared_ptr<Exchange>& exchange) {
                     exchange->respond({.body = exchange->take_body()});
                   }});
    server->route("/stream", {.methods = {"POST"},
                              .handler = [this](const std::shared_ptr<Exchange>& exchange) {
                                taken.set_value(exchange);
                              }});
    server->route("/throws", {.methods = {"POST"}, .handler = [](const std::shared_ptr<Exchange>&) {
                                throw std::runtime_error("on purpose");
                              }});
    server->route("/forgets",
                  {.methods = {"POST"}, .handler = [](const std::shared_ptr<Exchange>&) {}});
    server->start();
  }

  [[nodiscard]] RawClient client() const { return RawClient(server->address().port); }
  [[nodiscard]] std::string head(std::string_view line, std::string_view headers = {}) const {
    return std::string(line) + " HTTP/1.1\r\nHost: " + authority(server->address()) +
           "\r\nAuthorization: Bearer " + std::string(kToken) +
           "\r\nContent-Type: application/json\r\n" + std::string(headers) + "\r\n";
  }
  [[nodiscard]] std::string post(std::string_view path, std::string_view body) const {
    return head("POST " + std::string(path),
                "Content-Length: " + std::to_string(body.size()) + "\r\n") +
           std::string(body);
  }
  std::shared_ptr<Exchange> exchange() {
    auto future = taken.get_future();
    REQUIRE(future.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
    auto exchange = future.get();
    taken = {};
    return exchange;
  }

  std::promise<std::shared_ptr<Exchange>> taken;
  std::unique_ptr<Server> server;
};

TEST_CASE("requests of one connection are answered one after the other") {
  const Running running;
  auto client = running.client();
  REQUIRE(client.send(running.post("/echo", "[1]")));
  const std::string answer = client.read_until("[1]");
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer.find("Content-Length: 3\r\n") != std::string::npos);
  CHECK(answer.find("Access-Control") == std::string::npos);
  CHECK(answer.find("nosniff") != std::string::npos);
  CHECK(answer.find("Content-Security-Policy: default-src 'none'") != std::string::npos);
  // Two at once.
  REQUIRE(client.send(running.post("/echo", "[2]") + running.post("/echo", "[3]")));
  const std::string both = client.read_until("[3]");
  CHECK(both.find("[2]") < both.find("[3]"));
}

TEST_CASE("a body follows once the client is told to go on") {
  const Running running;
  auto client = running.client();
  REQUIRE(client.send(running.head("POST /echo", "Content-Length: 3\r\nExpect: 100-continue\r\n")));
  CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  REQUIRE(client.send("[4]"));
  CHECK(client.read_until("[4]").starts_with("HTTP/1.1 200"));
}

TEST_CASE("what no route takes is refused before its body comes") {
  Limits limits;
  limits.max_body = 1000;
  const Running running(limits);
  const auto status = [&running](const std::string& request) {
    auto client = running.client();
    REQUIRE(client.send(request));
    const std::string answer = client.read_until("\r\n\r\n");
    CHECK(client.closes());
    return answer.substr(0, answer.find("\r\n"));
  };
  const std::string body = "Content-Length: 3\r\n";
  CHECK(status(running.head("POST /nothing", body)) == "HTTP/1.1 404 Not Found");
  CHECK(status(running.head("POST /echo/", body)) == "HTTP/1.1 404 Not Found");
  CHECK(status(running.head("POST /%65cho", body)) == "HTTP/1.1 404 Not Found");
  CHECK(status(running.head("GET /echo")) == "HTTP/1.1 405 Method Not Allowed");
  CHECK(status(running.head("BREW /echo")) == "HTTP/1.1 405 Method Not Allowed");
  CHECK(status(running.head("POST /echo", "Content-Length: 1001\r\n")) ==
        "HTTP/1.1 413 Content Too Large");
  CHECK(status(running.head("POST /echo", body + "Content-Encoding: gzip\r\n")) ==
        "HTTP/1.1 415 Unsupported Media Type");
  CHECK(status("POST /echo HTTP/1.1\r\n\r\n") == "HTTP/1.1 400 Bad Request");
}

TEST_CASE("a handler that fails or forgets gives 500") {
  const Running running;
  auto client = running.client();
  REQUIRE(client.send(running.post("/throws", "1")));
  const std::string answer = client.read_until("on purpose");
  CHECK(answer.starts_with("HTTP/1.1 500"));
  REQUIRE(client.send(running.post("/forgets", "1")));
  CHECK(client.read_until("inside Cellblock").starts_with("HTTP/1.1 500"));
}

TEST_CASE("a stream is written from other threads") {
  Running running;
  auto client = running.client();
  REQUIRE(client.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  exchange->open_stream({{"X-Some", "thing"}});
  CHECK(client.read_until("\r\n\r\n").find("text/event-stream") != std::string::npos);
  CHECK(exchange->send_event("one"));
  CHECK(client.read_until("\n\n") == "b\r\ndata: one\n\n\r\n");
  CHECK(exchange->send_event("two\nlines"));
  CHECK(client.read_until("\n\n").find("data: two\ndata: lines\n\n") != std::string::npos);
  exchange->end_stream();
  CHECK(client.read_until("0\r\n\r\n") == "0\r\n\r\n");
  CHECK(!exchange->send_event("late"));
  // The connection goes on.
  REQUIRE(client.send(running.post("/echo", "[5]")));
  CHECK(client.read_until("[5]").starts_with("HTTP/1.1 200"));
}

TEST_CASE("a stream that is forgotten is cut off, not ended") {
  Running running;
  auto client = running.client();
  REQUIRE(client.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  exchange->open_stream({});
  exchange.reset();
  const std::string all = client.read_until("0\r\n\r\n");
  CHECK(all.find("\r\n0\r\n\r\n") == std::string::npos);
  CHECK(client.closes());
}

TEST_CASE("a silent stream gets comments") {
  Limits limits;
  limits.keep_alive = milliseconds(50);
  Running running(limits);
  auto client = running.client();
  REQUIRE(client.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  exchange->open_stream({});
  CHECK(client.read_until("3\r\n:\n\n\r\n3\r\n:\n\n").find(":\n\n") != std::string::npos);
}

TEST_CASE("a client that goes is told once, before and after") {
  Running running;
  std::promise<void> told;
  auto client = running.client();
  REQUIRE(client.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  exchange->on_gone([&told] { told.set_value(); });
  client.close();
  CHECK(told.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  bool late = false;
  exchange->on_gone([&late] { late = true; });
  CHECK(late);
  exchange->respond({.body = "1"});
  exchange->open_stream({});
  CHECK(!exchange->send_event("x"));
}

TEST_CASE("a client that has its answer is not told to have gone") {
  Running running;
  std::atomic<bool> told = false;
  auto client = running.client();
  REQUIRE(client.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  exchange->on_gone([&told] { told = true; });
  exchange->respond({.body = "[6]"});
  client.read_until("[6]");
  REQUIRE(client.send(running.post("/echo", "[7]")));
  client.read_until("[7]");
  client.close();
  running.server->stop();
  CHECK(!told);
}

TEST_CASE("a client that reads slowly holds a bounded amount and is cut off") {
  Limits limits;
  limits.write_deadline = milliseconds(300);
  limits.max_queued = 100'000;
  Running running(limits);
  auto client = running.client();
  REQUIRE(client.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  exchange->open_stream({});
  const std::string event(10'000, 'x');
  std::size_t sent = 0;
  while (exchange->send_event(event)) {
    sent += event.size();
    REQUIRE(sent < 64U << 20);  // else nobody holds it back
  }
  CHECK(sent > 100'000);
}

TEST_CASE("requests that drip are cut off") {
  Limits limits;
  limits.head_deadline = milliseconds(300);
  limits.body_deadline = milliseconds(300);
  const Running running(limits);
  const std::string request = running.post("/echo", std::string(100'000, ' '));
  const std::size_t head = request.find("\r\n\r\n") + 4;
  for (const std::size_t at_once : {std::size_t{0}, head}) {
    CAPTURE(at_once);
    auto client = running.client();
    const auto start = Clock::now();
    bool open = client.send(request.substr(0, at_once));
    for (std::size_t i = at_once; open && i < request.size(); ++i) {
      open = client.send(request.substr(i, 1)) && Clock::now() - start < std::chrono::seconds(20);
      std::this_thread::sleep_for(milliseconds(20));
      if (i - at_once == 100) break;  // two seconds
    }
    CHECK(client.read_until("\r\n").starts_with("HTTP/1.1 408"));
    CHECK(client.closes());
  }
}

TEST_CASE("connections that say nothing are closed in the end") {
  Limits limits;
  limits.head_deadline = milliseconds(100);
  limits.idle_limit = milliseconds(100);
  const Running running(limits);
  auto silent = running.client();
  CHECK(silent.closes());
  auto idle = running.client();
  REQUIRE(idle.send(running.post("/echo", "[8]")));
  idle.read_until("[8]");
  CHECK(idle.closes());
}

TEST_CASE("at the cap the oldest silent connection gives way, one that showed the token last") {
  Limits limits;
  limits.max_connections = 4;
  Running running(limits);
  auto known = running.client();
  REQUIRE(known.send(running.post("/echo", "[0]")));
  known.read_until("[0]");
  auto busy = running.client();
  REQUIRE(busy.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  std::vector<RawClient> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(running.client());
  for (int i = 0; i < 40; ++i) CHECK(silent[static_cast<std::size_t>(i)].closes());
  auto live = running.client();
  REQUIRE(live.send(running.post("/echo", "[9]")));
  CHECK(live.read_until("[9]").starts_with("HTTP/1.1 200"));
  REQUIRE(known.send(running.post("/echo", "[10]")));
  CHECK(known.read_until("[10]").starts_with("HTTP/1.1 200"));
  exchange->respond({.body = "[11]"});
  CHECK(busy.read_until("[11]").starts_with("HTTP/1.1 200"));
}

TEST_CASE("when every connection is busy a new one is told so") {
  Limits limits;
  limits.max_connections = 1;
  Running running(limits);
  auto busy = running.client();
  REQUIRE(busy.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  auto other = running.client();
  CHECK(other.read_until("\r\n").starts_with("HTTP/1.1 503"));
  CHECK(other.closes());
}

TEST_CASE("when every handler is busy a request is told so") {
  Limits limits;
  limits.max_handlers = 1;
  auto made = Server::listen({}, {}, limits);
  REQUIRE(made);
  std::promise<void> release;
  std::promise<void> entered;
  (*made)->route("/",
                 {.methods = {"GET"}, .handler = [&](const std::shared_ptr<Exchange>& exchange) {
                    entered.set_value();
                    release.get_future().wait();
                    exchange->respond({.status = 204});
                  }});
  (*made)->start();
  const std::string get = "GET / HTTP/1.1\r\nHost: " + authority((*made)->address()) + "\r\n\r\n";
  RawClient first((*made)->address().port);
  REQUIRE(first.send(get));
  entered.get_future().wait();
  RawClient second((*made)->address().port);
  REQUIRE(second.send(get));
  CHECK(second.read_until("\r\n").starts_with("HTTP/1.1 503"));
  release.set_value();
  CHECK(first.read_until("\r\n").starts_with("HTTP/1.1 204"));
}

TEST_CASE("large bodies under way at once are bounded") {
  Limits limits;
  limits.max_body = 1000;
  limits.max_bodies = 1500;
  const Running running(limits);
  auto first = running.client();
  REQUIRE(first.send(running.head("POST /echo", "Content-Length: 1000\r\n")));
  // The first one's head has been read once a request that came after it is answered.
  auto between = running.client();
  REQUIRE(between.send(running.post("/echo", "[1]")));
  between.read_until("[1]");
  auto second = running.client();
  REQUIRE(second.send(running.head("POST /echo", "Content-Length: 1000\r\n")));
  CHECK(second.read_until("\r\n").starts_with("HTTP/1.1 503"));
  REQUIRE(first.send(std::string(1000, ' ')));
  CHECK(first.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_CASE("a server that stops tells requests under way that their clients have gone") {
  Running running;
  auto client = running.client();
  REQUIRE(client.send(running.post("/stream", "1")));
  auto exchange = running.exchange();
  std::atomic<bool> told = false;
  exchange->on_gone([&told] { told = true; });
  exchange->open_stream({});
  running.server->stop();
  CHECK(told);
  CHECK(client.closes());
  running.server.reset();
  CHECK(!exchange->send_event("x"));
}

}  // namespace
}  // namespace cellblock::http

#include "http/access.hpp"

#include "support/catch.hpp"

namespace cellblock::http {
namespace {

constexpr std::string_view kToken = "0123456789abcdef";

Listener on(std::string host, std::uint16_t port, bool loopback = true) {
  return {.address = {.host = std::move(host), .port = port}, .loopback = loopback};
}

Access::Options with_token() {
  return {.token = *Token::from_text(kToken, "a test"), .hosts = {}, .origins = {}};
}

Request request(Headers headers) {
  return {.method = "POST", .path = "/", .headers = std::move(headers)};
}

// 0: it is let through.
unsigned status(const Access& access, Headers headers) {
  const auto refused = access.refuse(request(std::move(headers)));
  return refused ? refused->status : 0;
}

TEST_CASE("the server's own names with its port are the hosts that it answers to") {
  const auto access = Access::create(on("127.0.0.1", 8080), {});
  REQUIRE(access);
  for (const std::string host :
       {"localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"}) {
    CAPTURE(host);
    CHECK(status(*access, {{"Host", host}}) == 0);
  }
  for (const std::string host :
       {"", "localhost", "localhost:8081", "127.0.0.1", "127.0.0.1:80", "evil.example:8080",
        "localhost.evil.example:8080", "127.0.0.1.nip.io:8080", "localhost:8080.evil.example",
        "localhost.:8080", "127.1:8080", "2130706433:8080", "0.0.0.0:8080", "user@localhost:8080",
        "localhost:08080", "::1:8080", "localhost:8080,evil.example", "*"}) {
    CAPTURE(host);
    CHECK(status(*access, {{"Host", host}}) == 421);
  }
  CHECK(status(*access, {}) == 400);
  CHECK(status(*access, {{"Host", "localhost:8080"}, {"host", "localhost:8080"}}) == 400);
}

TEST_CASE("port 80 goes without saying") {
  const auto access = Access::create(on("127.0.0.1", 80), {});
  REQUIRE(access);
  CHECK(status(*access, {{"Host", "localhost"}, {"Origin", "http://localhost"}}) == 0);
  CHECK(status(*access, {{"Host", "[::1]"}}) == 0);
}

TEST_CASE("an address that was chosen and names that the operator allows are hosts, too") {
  auto options = with_token();
  options.token.reset();
  const auto refused = Access::create(on("192.0.2.7", 8080, false), options);
  REQUIRE(!refused);
  CHECK(refused.error().kind == ErrorKind::bad_argument);

  options = with_token();
  options.hosts = {"box.example:8080", "proxy.example"};
  const auto access = Access::create(on("192.0.2.7", 8080, false), options);
  REQUIRE(access);
  const std::string token = "Bearer " + std::string(kToken);
  for (const std::string host : {"192.0.2.7:8080", "box.example:8080", "proxy.example"}) {
    CAPTURE(host);
    CHECK(status(*access, {{"Host", host}, {"Authorization", token}}) == 0);
  }
  CHECK(status(*access, {{"Host", "box.example"}, {"Authorization", token}}) == 421);
}

TEST_CASE("no list has a star in it") {
  for (const std::string bad : {"*", "*:80", "", "a b", "a/b", "http://a"}) {
    CAPTURE(bad);
    CHECK(!Access::create(on("127.0.0.1", 1), {.token = {}, .hosts = {bad}, .origins = {}}));
  }
  for (const std::string bad : {"*", "null", "", "evil.example", "http://*", "http://", "file://",
                                "http://a/", "https://a, https://b"}) {
    CAPTURE(bad);
    CHECK(!Access::create(on("127.0.0.1", 1), {.token = {}, .hosts = {}, .origins = {bad}}));
  }
}

TEST_CASE("an Origin is the server's own or one that the operator allows") {
  const auto access = Access::create(
      on("127.0.0.1", 8080), {.token = {}, .hosts = {}, .origins = {"https://app.example"}});
  REQUIRE(access);
  const auto with = [&access](std::string origin) {
    return status(*access, {{"Host", "localhost:8080"}, {"Origin", std::move(origin)}});
  };
  for (const std::string origin : {"http://localhost:8080", "http://127.0.0.1:8080",
                                   "http://[::1]:8080", "https://app.example"}) {
    CAPTURE(origin);
    CHECK(with(origin) == 0);
  }
  for (const std::string origin :
       {"null", "", "https://evil.example", "http://localhost", "http://localhost:3000",
        "https://localhost:8080", "http://localhost:8080/", "http://localhost:8080.evil.example",
        "http://app.example", "https://app.example:444", "https://sub.app.example",
        "http://localhost:8080 http://evil.example", "file://", "chrome-extension://abc"}) {
    CAPTURE(origin);
    CHECK(with(origin) == 403);
  }
  CHECK(status(*access, {{"Host", "localhost:8080"},
                         {"Origin", "http://localhost:8080"},
                         {"Origin", "https://evil.example"}}) == 400);
}

TEST_CASE("a browser that names no origin but another site is refused") {
  const auto access = Access::create(on("127.0.0.1", 8080), {});
  REQUIRE(access);
  const auto with = [&access](std::string site) {
    return status(*access, {{"Host", "localhost:8080"}, {"Sec-Fetch-Site", std::move(site)}});
  };
  CHECK(with("none") == 0);
  CHECK(with("same-origin") == 0);
  CHECK(with("same-site") == 403);
  CHECK(with("cross-site") == 403);
}

TEST_CASE("every request shows the token") {
  const auto access = Access::create(on("127.0.0.1", 8080), with_token());
  REQUIRE(access);
  const auto with = [&access](std::string value) {
    return status(*access, {{"Host", "localhost:8080"}, {"Authorization", std::move(value)}});
  };
  CHECK(with("Bearer 0123456789abcdef") == 0);
  CHECK(with("bearer  0123456789abcdef") == 0);
  for (const std::string value :
       {"", "Bearer", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef",
        "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer 0123456789ABCDEF",
        "Bearer 0123456789abcdef ", "Bearer 0123456789abcdef,x"}) {
    CAPTURE(value);
    CHECK(with(value) == 401);
  }
  const auto missing = access->refuse(request({{"Host", "localhost:8080"}}));
  REQUIRE(missing);
  CHECK(missing->status == 401);
  REQUIRE(missing->headers.size() == 1);
  CHECK(missing->headers[0].first == "WWW-Authenticate");
  CHECK(missing->headers[0].second.starts_with("Bearer"));
  CHECK(status(*access, {{"Host", "localhost:8080"},
                         {"Authorization", "Bearer wrong-wrong-wrong"},
                         {"Authorization", "Bearer 0123456789abcdef"}}) == 400);
}

}  // namespace
}  // namespace cellblock::http

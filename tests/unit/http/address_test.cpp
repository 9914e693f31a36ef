#include "http/address.hpp"

#include <fcntl.h>

#include "support/catch.hpp"

namespace cellblock::http {
namespace {

TEST_CASE("addresses are read") {
  CHECK(authority(*parse_address("127.0.0.1:8080")) == "127.0.0.1:8080");
  CHECK(authority(*parse_address("8080")) == "127.0.0.1:8080");
  CHECK(authority(*parse_address("[::1]:0")) == "[::1]:0");
  CHECK(authority(*parse_address("localhost:65535")) == "localhost:65535");
  for (const char* bad : {"", ":", ":8080", "*:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                          "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]", "a:b:1", "1 "}) {
    CAPTURE(bad);
    const auto address = parse_address(bad);
    REQUIRE(!address);
    CHECK(address.error().kind == ErrorKind::bad_argument);
  }
}

TEST_CASE("a listener has a real port, its own descriptor, and knows who reaches it") {
  const auto own = listen_on({.host = "127.0.0.1", .port = 0});
  REQUIRE(own);
  CHECK(own->address.port != 0);
  CHECK(own->loopback);
  CHECK((::fcntl(own->socket.get(), F_GETFD) & FD_CLOEXEC) != 0);
  const auto everybody = listen_on({.host = "0.0.0.0", .port = 0});
  REQUIRE(everybody);
  CHECK(!everybody->loopback);
  const auto taken = listen_on(own->address);
  REQUIRE(!taken);
  CHECK(taken.error().message.find("Choose another") != std::string::npos);
}

}  // namespace
}  // namespace cellblock::http

#include "http/request_parser.hpp"

#include "support/catch.hpp"

namespace cellblock::http {
namespace {

using Got = RequestParser::Got;
using namespace std::string_literals;

const Limits& limits() {
  static const Limits kLimits{.max_request_line = 100, .max_head = 400, .max_body = 1000};
  return kLimits;
}

// The status of the refusal; 0: a whole request. At one time or a byte at a time.
unsigned outcome(const std::string& text, bool slowly) {
  RequestParser parser(limits());
  std::string bytes;
  for (std::size_t sent = 0; sent < text.size();) {
    const std::size_t count = slowly ? 1 : text.size();
    bytes.append(text, sent, count);
    sent += count;
    while (true) {
      const Got got = parser.take(bytes);
      if (got == Got::request) return 0;
      if (got == Got::refused) return parser.refusal().status;
      if (got == Got::more) break;
    }
  }
  return 1;  // not whole
}

void check(const std::string& text, unsigned status) {
  CAPTURE(text);
  CHECK(outcome(text, false) == status);
  CHECK(outcome(text, true) == status);
}

TEST_CASE("a request comes in pieces") {
  RequestParser parser(limits());
  std::string bytes = "POST /a/b?c=d HTTP/1.1\r\nHost: x\r\nX-Two:  words here \r\nContent-Le";
  CHECK(parser.take(bytes) == Got::more);
  bytes += "ngth: 5\r\n\r\nhel";
  CHECK(parser.take(bytes) == Got::head);
  CHECK(parser.announced_body() == 5);
  CHECK(parser.take(bytes) == Got::more);
  bytes += "loGET / HT";
  CHECK(parser.take(bytes) == Got::request);
  CHECK(bytes == "GET / HT");
  const Request& request = parser.request();
  CHECK(request.method == "POST");
  CHECK(request.path == "/a/b");
  CHECK(request.query == "c=d");
  CHECK(request.body == "hello");
  CHECK(request.header("x-two") == "words here");
  CHECK(!request.header("y"));
  CHECK(parser.keeps_alive());
}

TEST_CASE("a chunked body is put together") {
  check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
        0);
  check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0);
}

TEST_CASE("whole requests without a body") {
  check("GET / HTTP/1.1\r\n\r\n", 0);
  check("\r\nGET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 0);
  check("GET / HTTP/1.1\r\nHost: x\r\n", 1);
}

TEST_CASE("what is no HTTP/1.1 is refused as soon as it shows") {
  check("GET / HTTP/1.1\n\n", 400);
  check("GET / HTTP/1.1\r\nHost: x\n\r\n", 400);
  check("GET / HTTP/1.0\r\n\r\n", 505);
  check("GET / HTTP/2.0\r\n\r\n", 505);
  check("PRI * HTTP/2.0\r\n\r\n", 505);
  check("GET /\r\n\r\n", 400);
  check("GET  / HTTP/1.1\r\n\r\n", 400);
  check("G\x01T / HTTP/1.1\r\n\r\n", 400);
  check("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400);
  check("GET / HTTP/1.1\r\nHo\0st: x\r\n\r\n"s, 400);
  check("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n"s, 400);
  check("GET / HTTP/1.1\r\n: x\r\n\r\n", 400);
  check("\x16\x03\x01\x02\r\n\r\n", 400);
}

TEST_CASE("a target is a path in plain ASCII") {
  check("GET http://evil.example/ HTTP/1.1\r\n\r\n", 400);
  check("OPTIONS * HTTP/1.1\r\n\r\n", 400);
  check("CONNECT evil.example:80 HTTP/1.1\r\n\r\n", 400);
  check("GET /a#b HTTP/1.1\r\n\r\n", 400);
  check("GET /\xff HTTP/1.1\r\n\r\n", 400);
}

TEST_CASE("there is one way to tell where a body ends") {
  const std::string head = "POST / HTTP/1.1\r\n";
  check(head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  check(head + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400);
  check(head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400);
  check(head + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400);
  check(head + "Content-Length: 3, 3\r\n\r\nabc", 400);
  check(head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  check(head + "Content-Length: -3\r\n\r\n", 400);
  check(head + "Content-Length: +3\r\n\r\nabc", 400);
  check(head + "Content-Length: 0x3\r\n\r\nabc", 400);
  check(head + "Content-Length: 3 3\r\n\r\nabc", 400);
  check(head + "Content-Length: 99999999999999999999999\r\n\r\n", 400);
  check(head + "Transfer-Encoding: gzip\r\n\r\n", 501);
  check(head + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501);
  check(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", 400);
  check(head + "Transfer-Encoding: chunked\r\n\r\n-1\r\na\r\n0\r\n\r\n", 400);
  check(head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", 400);
  check(head + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", 400);
  check(head + "Expect: a miracle\r\n\r\n", 417);
}

TEST_CASE("lengths are bounded") {
  check("GET /" + std::string(90, 'a') + " HTTP/1.1\r\n\r\n", 414);
  check("GET /" + std::string(500, 'a'), 414);
  check(std::string(500, 'a'), 414);
  check("GET / HTTP/1.1\r\nX: " + std::string(500, 'a') + "\r\n\r\n", 431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 100; ++i) many += "a:b\r\n";
  check(many + "\r\n", 431);
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  check(chunked + "3e9\r\n", 413);
  check(chunked + "1f4\r\n" + std::string(500, 'a') + "\r\n1f5\r\n", 413);
  check(chunked + "1;" + std::string(500, 'x'), 400);
  check(chunked + "0\r\n" + "a: " + std::string(500, 'x'), 400);
  // The connection looks at what is announced.
  RequestParser parser(limits());
  std::string bytes = "POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n";
  CHECK(parser.take(bytes) == Got::head);
  CHECK(parser.announced_body() == 1001);
}

}  // namespace
}  // namespace cellblock::http

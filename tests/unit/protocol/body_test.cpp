#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "protocol/messages.hpp"
#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::protocol;
using Json = nlohmann::json;

namespace {

std::string nested_arrays(std::size_t depth) { return std::string(depth - 1, '\x91') + '\x90'; }

std::string nested_maps(std::size_t depth) {
  std::string bytes;
  for (std::size_t i = 1; i < depth; ++i) bytes += "\x81\xA1k";
  return bytes + '\x80';
}

}  // namespace

TEST_CASE("A body comes back as it was, bytes that are no text included") {
  const Json value{{"null", nullptr},
                   {"yes", true},
                   {"negative", -5},
                   {"large", ~0ULL},
                   {"half", 0.5},
                   {"text", std::string("\xFF\0\xED\xA0\x80", 5)},
                   {"list", {1, "two", Json::array()}},
                   {"map", {{"", Json::object()}}}};
  const auto back = decode_body(encode_body(value));
  REQUIRE(back);
  CHECK(*back == value);
}

TEST_CASE("A body nested as deep as the limit is read, one level more is refused") {
  for (const auto& make : {nested_arrays, nested_maps}) {
    CHECK(decode_body(make(64)).has_value());
    CHECK_FALSE(decode_body(make(65)).has_value());
    CHECK(decode_body(make(3), 3).has_value());
    CHECK_FALSE(decode_body(make(4), 3).has_value());
    // Deep enough to end a program that recurses with the bytes.
    CHECK_FALSE(decode_body(make(4'000'000)).has_value());
  }
}

TEST_CASE("A body that is cut anywhere is refused") {
  const std::string bytes = encode_body({{"text", "abc"}, {"list", {1, 2, 300}}, {"n", 1.5}});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    INFO(length);
    CHECK_FALSE(decode_body(bytes.substr(0, length)).has_value());
  }
}

TEST_CASE("Bytes after a body are refused") {
  CHECK_FALSE(decode_body(encode_body(Json::object()) + "x").has_value());
}

TEST_CASE("A length that promises more than there is gives an error, not memory") {
  for (const char* bytes : {"\xDD\xFF\xFF\xFF\xFF", "\xDF\xFF\xFF\xFF\xFF", "\xDB\xFF\xFF\xFF\xFF",
                            "\xC6\xFF\xFF\xFF\xFF", "\xC9\xFF\xFF\xFF\xFFx"}) {
    CHECK_FALSE(decode_body(std::string_view(bytes, 5)).has_value());
  }
}

TEST_CASE("A body of very many small values is refused before it has filled the memory") {
  // A byte on the wire, some eighty in memory.
  std::string many_maps("\xDD\x00\xFF\xFF\xF0", 5);
  many_maps.resize(many_maps.size() + 0xFFFFF0, '\x80');
  CHECK_FALSE(decode_body(many_maps).has_value());
  const std::string some = std::string("\xDC\xFF\xFF", 3) + std::string(0xFFFF, '\x80');
  CHECK(decode_body(some).has_value());
}

TEST_CASE("Every single byte as a body is an answer") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    const auto body = decode_body(bytes);
    if (body) CHECK((body->is_primitive() || body->empty()));
  }
  CHECK_FALSE(decode_body("").has_value());
}

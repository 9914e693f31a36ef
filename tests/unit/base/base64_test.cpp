#include "base/base64.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace cellblock::base;

TEST_CASE("Base64 is that of RFC 4648") {
  const std::vector<std::pair<std::string, std::string>> vectors{{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"},
                                                                 {"\xFB\xFF\xBF", "+/+/"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(base64_encode(bytes) == text);
    CHECK(base64_decode(text) == bytes);
  }
}

TEST_CASE("Every byte and length comes back from base64") {
  std::string bytes;
  for (int length = 0; length < 520; ++length) {
    REQUIRE(base64_decode(base64_encode(bytes)) == bytes);
    bytes += static_cast<char>(length * 7);
  }
}

TEST_CASE("Base64 with a fault anywhere is refused") {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "==", "====", "Z===", "Zg==Zg==", "Z=g=",
                           "Zm9v\n", "Zm 9", "Zm9-", "Zm9_", "Zm9\x80", "Zh==", "Zm9=", "Zg=a"}) {
    INFO(text);
    CHECK_FALSE(base64_decode(text).has_value());
  }
  CHECK_FALSE(base64_decode(std::string("Zg\0=", 4)).has_value());
}

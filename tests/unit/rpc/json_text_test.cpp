#include "rpc/json_text.hpp"

#include "support/catch.hpp"

namespace cellblock::rpc {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST_CASE("JSON is parsed with its last value of a repeated key") {
  const auto value = parse_json(R"({"a": [1, "é\n"], "a": 2})");
  REQUIRE(value);
  CHECK(*value == Json{{"a", 2}});
}

TEST_CASE("what is no JSON gives a short reason without the input") {
  const auto* text = GENERATE("", "{", "[1,]", "{} {}", "\"\xff\"", "NaN", "1e999", "\"\\ud800\"");
  const auto value = parse_json(text);
  REQUIRE(!value);
  CHECK(!value.error().empty());
  CHECK(value.error().size() <= 200);
  CHECK(value.error().find("json.exception") == std::string::npos);
}

TEST_CASE("a long unfinished string is not quoted in the reason") {
  const auto value = parse_json("\"" + std::string(1 << 20, 'x'));
  REQUIRE(!value);
  CHECK(value.error().size() <= 200);
}

TEST_CASE("nesting is bounded before anything is parsed") {
  CHECK(parse_json(nested(kMaxNesting)).has_value());
  CHECK(!parse_json(nested(kMaxNesting + 1)).has_value());
  CHECK(!parse_json(std::string(1'000'000, '[')).has_value());
}

TEST_CASE("brackets in strings do not count as nesting") {
  CHECK(nesting_within(R"(["[[[[", "\"[[[", "\\"])", 1));
  CHECK(!nesting_within(R"(["\\", [1]])", 1));
  CHECK(nesting_within("]]]][", 1));
}

TEST_CASE("text that is no UTF-8 is written with replacements, on one line") {
  const std::string text = to_text({{"t", "a\xff\n"}});
  CHECK(text == "{\"t\":\"a\xef\xbf\xbd\\n\"}");
}

}  // namespace
}  // namespace cellblock::rpc

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

TEST_CASE("a key that is named twice is refused where that is asked for") {
  CHECK((*parse_json(R"({"a":1,"a":2})"))["a"] == 2);
  const auto parse = [](std::string_view text) { return parse_json(text, RepeatedKeys::refused); };
  CHECK_FALSE(parse(R"({"a":1,"a":2})"));
  CHECK_FALSE(parse(R"([{"b":{"a":1,"\u0061":2}}])"));
  CHECK_THAT(parse(R"({"a":1,"a":2})").error(),
             Catch::Matchers::ContainsSubstring("the key \"a\" twice"));
  const auto fine = parse(R"({"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}})");
  REQUIRE(fine);
  CHECK((*fine)["a"]["a"][1]["a"] == 2);
}

}  // namespace
}  // namespace cellblock::rpc

TEST_CASE("A text of millions of values is refused before they are all made") {
  std::string text = "[";
  for (int i = 0; i < 2'100'000; ++i) text += "0,";
  const auto parsed =
      cellblock::rpc::parse_json(text + "0]", cellblock::rpc::RepeatedKeys::refused);
  REQUIRE_FALSE(parsed.has_value());
  CHECK_THAT(parsed.error(), Catch::Matchers::ContainsSubstring("values"));
}

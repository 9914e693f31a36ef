#include "rpc/params.hpp"

#include "support/catch.hpp"

namespace cellblock::rpc {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("parameters of the right kind are given") {
  const Json object = {{"s", "text"},     {"n", 3},        {"f", 1.5},       {"b", true},
                       {"o", {{"k", 1}}}, {"c", "second"}, {"null", nullptr}};
  Params params("m", object);
  CHECK(params.string("s") == "text");
  CHECK(params.optional_count("n") == 3U);
  CHECK(params.optional_positive("f", 2) == 1.5);
  CHECK(params.optional_flag("b") == true);
  REQUIRE(params.optional_object("o") != nullptr);
  CHECK(params.choice("c", {"first", "second"}) == "second");
  CHECK(params.optional_string("null") == std::nullopt);
  CHECK(params.optional_string("absent") == std::nullopt);
  CHECK(params.choice("absent", {"first", "second"}) == "first");
  CHECK(!params.finish());
}

TEST_CASE("a parameter that is needed and absent is named") {
  const Json object = Json::object();
  Params params("m", object);
  CHECK(params.string("code").empty());
  const auto wrong = params.finish();
  REQUIRE(wrong);
  CHECK(wrong->code == kInvalidParams);
  CHECK(wrong->kind == ErrorKind::bad_argument);
  CHECK(wrong->message == "m: \"code\" is needed.");
}

TEST_CASE("wrong types are named with what they are") {
  const Json object = {{"s", 1},      {"n", "1"}, {"neg", -1},
                       {"frac", 1.5}, {"b", 0},   {"o", Json::array()}};
  const auto complaint = [&object](auto read) {
    Params params("m", object);
    read(params);
    const auto wrong = params.finish();
    REQUIRE(wrong);
    return wrong->message;
  };
  CHECK_THAT(complaint([](Params& p) { p.string("s"); }),
             ContainsSubstring("a string, not number"));
  CHECK_THAT(complaint([](Params& p) { p.optional_count("n"); }), ContainsSubstring("\"n\""));
  CHECK_THAT(complaint([](Params& p) { p.optional_count("neg"); }), ContainsSubstring("whole"));
  CHECK_THAT(complaint([](Params& p) { p.optional_count("frac"); }), ContainsSubstring("whole"));
  CHECK_THAT(complaint([](Params& p) { p.optional_flag("b"); }),
             ContainsSubstring("true or false"));
  CHECK_THAT(complaint([](Params& p) { p.optional_object("o"); }), ContainsSubstring("an object"));
  CHECK_THAT(complaint([](Params& p) { p.choice("s", {"x"}); }), ContainsSubstring("\"s\""));
}

TEST_CASE("numbers out of range are refused") {
  const auto* text = GENERATE("0", "-1", "1e300", "10.5");
  const Json object = {{"t", Json::parse(text)}};
  Params params("m", object);
  CHECK(params.optional_positive("t", 10) == std::nullopt);
  CHECK(params.finish());
}

TEST_CASE("unknown names are refused with those that are known") {
  const Json object = {{"code", "1"}, {"timeout", 3}};
  Params params("session.run", object);
  params.string("code");
  params.optional_positive("timeout_s", 10);
  const auto wrong = params.finish();
  REQUIRE(wrong);
  CHECK_THAT(wrong->message,
             ContainsSubstring("\"timeout\"") && ContainsSubstring("code, timeout_s"));
}

TEST_CASE("a very long name is shortened in the sentence") {
  const Json object = {{std::string(100'000, 'x'), 1}};
  Params params("m", object);
  const auto wrong = params.finish();
  REQUIRE(wrong);
  CHECK(wrong->message.size() < 200);
}

TEST_CASE("the first complaint is the one that is told") {
  const Json object = {{"a", 1}, {"b", 2}};
  Params params("m", object);
  params.string("a");
  params.string("b");
  CHECK_THAT(params.finish()->message, ContainsSubstring("\"a\""));
}

}  // namespace
}  // namespace cellblock::rpc

#include "cli/line_editor.hpp"
#include "support/catch.hpp"

namespace cellblock::cli {
namespace {

TEST_CASE("one match is put in the place of what was typed") {
  const auto step = plan_completion({{"append"}, 5, 8}, "list.app", 8);
  CHECK(step.remove == 3);
  CHECK(step.insert == "append");
  CHECK(step.list.empty());
}

TEST_CASE("several matches go as far as they agree") {
  const auto step = plan_completion({{"read_csv", "read_json"}, 3, 6}, "pd.rea", 6);
  CHECK(step.insert == "read_");
  CHECK(step.list.empty());
}

TEST_CASE("matches that agree no further are listed") {
  const auto step = plan_completion({{"read_csv", "read_json"}, 3, 8}, "pd.read_", 8);
  CHECK(step.insert.empty());
  CHECK(step.list == std::vector<std::string>{"read_csv", "read_json"});
}

TEST_CASE("places are counted in characters") {
  const auto step = plan_completion({{"größe", "größer"}, 4, 6}, "'é' grö", 6);
  CHECK(step.remove == 2);
  CHECK(step.insert == "größe");
}

TEST_CASE("nothing happens without a match or with one that is there") {
  CHECK(plan_completion({}, "x", 1).insert.empty());
  const auto step = plan_completion({{"done"}, 0, 4}, "done", 4);
  CHECK(step.insert.empty());
  CHECK(step.list.empty());
}

TEST_CASE("what a session cannot know or must not say is left out") {
  CHECK(plan_completion({{"x"}, 9, 9}, "ab", 2).insert.empty());
  CHECK(plan_completion({{"x"}, 0, 1}, "ab", 9).insert.empty());
  CHECK(plan_completion({{"a\x1b[2J", "a\nb", ""}, 0, 1}, "a", 1).insert.empty());
}

}  // namespace
}  // namespace cellblock::cli

#include "mcp/live_call.hpp"

#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace cellblock::mcp {
namespace {

struct Notes final : Reply {
  void notify(const std::string& text) override { told.push_back(text); }
  void finish(const Answer& answer) override { answers.push_back(answer); }
  std::vector<std::string> told;
  std::vector<Answer> answers;
};

struct Fixture {
  std::shared_ptr<Notes> notes = std::make_shared<Notes>();
  int finished = 0;
  rpc::AnswerRoom room{1U << 20};
  LiveCall call{notes, room, [this] { ++finished; }};
  Answer result{Answer::Kind::result, "{}"};
};

TEST_CASE("a call finishes once") {
  Fixture f;
  f.call.notify("a");
  f.call.finish(f.result);
  f.call.finish(f.result);
  f.call.notify("late");
  CHECK(f.notes->told == std::vector<std::string>{"a"});
  REQUIRE(f.notes->answers.size() == 1);
  CHECK(f.notes->answers[0].text == "{}");
  CHECK(f.finished == 1);
}

TEST_CASE("a cancelled call stops what it began, says nothing more and gets no answer") {
  Fixture f;
  int stopped = 0;
  f.call.on_cancel([&stopped] { ++stopped; });
  f.call.cancel();
  f.call.cancel();
  CHECK(stopped == 1);
  CHECK(f.notes->answers.empty());
  f.call.notify("late");
  f.call.finish(f.result);
  CHECK(f.notes->told.empty());
  REQUIRE(f.notes->answers.size() == 1);
  CHECK(f.notes->answers[0].kind == Answer::Kind::none);
}

TEST_CASE("what an answer was to tell is undone where there is none, before the end is told") {
  Fixture f;
  int undone = 0;
  f.call.on_unanswered([&] {
    ++undone;
    CHECK(f.finished == 0);
  });
  f.call.cancel();
  CHECK(undone == 0);
  f.call.finish(f.result);
  f.call.finish(f.result);
  CHECK(undone == 1);
}

TEST_CASE("what an answer tells is not undone, whoever cancels later") {
  Fixture f;
  int undone = 0;
  f.call.on_unanswered([&undone] { ++undone; });
  f.call.finish(f.result);
  f.call.cancel();
  CHECK(undone == 0);
}

TEST_CASE("what is begun after a cancellation is stopped at once") {
  Fixture f;
  f.call.cancel();
  int stopped = 0;
  f.call.on_cancel([&stopped] { ++stopped; });
  CHECK(stopped == 1);
}

TEST_CASE("cancelling what has finished does nothing") {
  Fixture f;
  int stopped = 0;
  f.call.on_cancel([&stopped] { ++stopped; });
  f.call.finish(f.result);
  f.call.cancel();
  CHECK(stopped == 0);
  CHECK(f.notes->answers.size() == 1);
}

TEST_CASE("a call that stays open ends by cancellation or with the server") {
  SECTION("cancelled") {
    Fixture f;
    f.call.stay_open({Answer::Kind::result, "last"});
    CHECK(f.notes->answers.empty());
    f.call.cancel();
    REQUIRE(f.notes->answers.size() == 1);
    CHECK(f.notes->answers[0].kind == Answer::Kind::none);
  }
  SECTION("cancelled before") {
    Fixture f;
    f.call.cancel();
    f.call.stay_open({Answer::Kind::result, "last"});
    REQUIRE(f.notes->answers.size() == 1);
    CHECK(f.notes->answers[0].kind == Answer::Kind::none);
  }
  SECTION("the server ends") {
    Fixture f;
    f.call.stay_open({Answer::Kind::result, "last"});
    f.call.end();
    REQUIRE(f.notes->answers.size() == 1);
    CHECK(f.notes->answers[0].text == "last");
  }
}

}  // namespace
}  // namespace cellblock::mcp

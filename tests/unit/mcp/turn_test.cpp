#include "mcp/session_book.hpp"
#include "support/catch.hpp"

using namespace cellblock::mcp;

namespace {

struct Row {
  std::promise<void> before;
  Turn turn;

  explicit Row(std::promise<void> mine = {}) : turn(before.get_future().share(), std::move(mine)) {}
};

}  // namespace

TEST_CASE("A turn is next when those before it have left") {
  Row row;
  CHECK_FALSE(row.turn.is_next());
  row.before.set_value();
  CHECK(row.turn.is_next());
  row.turn.wait();
}

TEST_CASE("A turn that was interrupted while it waited says so when it leaves") {
  Row row;
  CHECK(row.turn.interrupt());
  CHECK(row.turn.interrupt());
  CHECK(row.turn.leave() == Turn::Left::interrupted);
}

TEST_CASE("A turn that has left cannot be interrupted, and leaves once") {
  std::promise<void> mine;
  auto left = mine.get_future();
  Row row(std::move(mine));
  CHECK(row.turn.leave() == Turn::Left::undisturbed);
  CHECK(left.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  CHECK_FALSE(row.turn.interrupt());
  CHECK(row.turn.leave() == Turn::Left::undisturbed);
}

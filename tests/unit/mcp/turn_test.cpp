#include "mcp/turn.hpp"

#include <chrono>
#include <future>
#include <memory>

#include "support/catch.hpp"

namespace cellblock::mcp {
namespace {

TEST_CASE("a turn comes when all before it have left") {
  Turns turns;
  auto first = turns.take();
  auto second = turns.take();
  CHECK(first->is_next());
  CHECK_FALSE(second->is_next());
  first.reset();
  CHECK(second->is_next());
  second->wait();
  second.reset();
  CHECK(turns.take()->is_next());
}

TEST_CASE("who leaves from the middle lets nobody pass those before him") {
  Turns turns;
  auto first = turns.take();
  auto second = turns.take();
  auto third = turns.take();
  second.reset();
  CHECK_FALSE(third->is_next());
  first.reset();
  CHECK(third->is_next());
}

TEST_CASE("a turn that was dropped while somebody waits behind it lets him go on") {
  auto turns = std::make_unique<Turns>();
  auto first = turns->take();
  auto second = turns->take();
  auto third = turns->take();
  turns.reset();
  const auto waiting = std::async(std::launch::async, [&third] { third->wait(); });
  first.reset();
  second.reset();
  CHECK(waiting.wait_for(std::chrono::seconds(30)) == std::future_status::ready);
}

TEST_CASE("the first turn that is there is told that it was interrupted when it leaves") {
  Turns turns;
  CHECK_FALSE(turns.interrupt_first());
  auto first = turns.take();
  auto second = turns.take();
  CHECK(turns.interrupt_first());
  CHECK(turns.interrupt_first());
  CHECK(first->leave() == Turn::Left::interrupted);
  CHECK(first->leave() == Turn::Left::interrupted);
  CHECK(second->is_next());
  CHECK(second->leave() == Turn::Left::undisturbed);
  CHECK_FALSE(turns.interrupt_first());
  CHECK(second->leave() == Turn::Left::undisturbed);
}

}  // namespace
}  // namespace cellblock::mcp

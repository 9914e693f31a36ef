#include "rpc/answer_room.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "support/catch.hpp"

namespace cellblock::rpc {
namespace {

using When = AnswerRoom::WhenFull;
constexpr std::size_t kMiB = 1U << 20;
constexpr std::chrono::seconds kSoon{30};

TEST_CASE("what does not fit waits for what is there, in order") {
  AnswerRoom room(4 * kMiB);
  auto first = room.reserve(3 * kMiB, When::wait);
  REQUIRE(first);
  CHECK_FALSE(room.reserve(2 * kMiB, When::refuse));
  auto second =
      std::async(std::launch::async, [&room] { return room.reserve(2 * kMiB, When::wait); });
  CHECK(second.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  // Built, it is smaller than was thought.
  first = room.settle(std::move(first), kMiB, When::wait);
  REQUIRE(second.wait_for(kSoon) == std::future_status::ready);
  const auto held = second.get();
  CHECK(held);
  CHECK_FALSE(room.reserve(2 * kMiB, When::refuse));
  first = nullptr;
  CHECK(room.reserve(2 * kMiB, When::refuse));
}

TEST_CASE("one that is larger than everything comes when nothing else is there") {
  AnswerRoom room(kMiB);
  auto small = room.settle(nullptr, 1, When::wait);
  auto large = std::async(std::launch::async,
                          [&room] { return room.settle(nullptr, 9 * kMiB, When::wait); });
  CHECK(large.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  small = nullptr;
  REQUIRE(large.wait_for(kSoon) == std::future_status::ready);
  CHECK(large.get());
}

TEST_CASE("a small answer never waits, and a part of a batch is refused instead") {
  AnswerRoom room(kMiB);
  const auto all = room.reserve(kMiB, When::wait);
  CHECK(room.reserve(AnswerRoom::kSmall, When::wait));
  CHECK(room.settle(nullptr, AnswerRoom::kSmall, When::wait));
  CHECK(room.settle(nullptr, 2 * kMiB, When::refuse));
  CHECK_FALSE(room.reserve(2 * kMiB, When::refuse));
}

TEST_CASE("nobody waits any more at the end") {
  auto room = std::make_unique<AnswerRoom>(kMiB);
  const auto all = room->reserve(kMiB, When::wait);
  auto waits = std::async(std::launch::async, [&room] { return room->reserve(kMiB, When::wait); });
  room->close();
  REQUIRE(waits.wait_for(kSoon) == std::future_status::ready);
  CHECK_FALSE(waits.get());
  room = nullptr;
}

}  // namespace
}  // namespace cellblock::rpc

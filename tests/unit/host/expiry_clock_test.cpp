#include "host/expiry_clock.hpp"

#include <atomic>

#include "support/catch.hpp"
#include "support/sessions.hpp"

using namespace cellblock::host;
using namespace cellblock::test;

TEST_CASE("It looks when the first thing is due, and again when that says so") {
  std::atomic<int> looks = 0;
  const auto start = Clock::now();
  ExpiryClock clock(
      [&](Clock::time_point now) { return ++looks < 3 ? now + 30ms : Clock::time_point::max(); });
  clock.look_at(start + 1h);
  CHECK(looks == 0);
  clock.look_at(start + 50ms);
  clock.look_at(start + 1h);
  REQUIRE(wait_until([&] { return looks == 3; }));
  CHECK(Clock::now() >= start + 110ms);
}

TEST_CASE("What is told while it looks is looked at in its own time") {
  std::atomic<int> looks = 0;
  ExpiryClock* clock = nullptr;
  Flag ready;
  ExpiryClock own([&](Clock::time_point now) {
    static_cast<void>(ready.wait());
    if (++looks == 1) clock->look_at(now);
    return Clock::time_point::max();
  });
  clock = &own;
  ready.set();
  own.look_at(Clock::now());
  CHECK(wait_until([&] { return looks == 2; }));
}

TEST_CASE("It ends at once, whatever is due later") {
  const auto start = Clock::now();
  {
    ExpiryClock clock([](Clock::time_point) { return Clock::time_point::max(); });
    clock.look_at(start + 1h);
  }
  CHECK(Clock::now() < start + 30s);
}

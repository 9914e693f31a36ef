#include "rpc/workers.hpp"

#include <atomic>
#include <future>
#include <set>

#include "support/catch.hpp"

namespace cellblock::rpc {
namespace {

constexpr std::chrono::milliseconds kSoon{30'000};

TEST_CASE("tasks that block run side by side, up to the limit") {
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  std::atomic<int> done = 0;
  Workers workers(3);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(workers.run([open, &done] {
      open.wait();
      ++done;
    }));
  }
  CHECK(workers.room() == 0);
  CHECK(!workers.run([] {}));
  CHECK(!workers.wait_until_idle(std::chrono::milliseconds(1)));
  gate.set_value();
  CHECK(workers.wait_until_idle(kSoon));
  CHECK(done == 3);
  CHECK(workers.room() == 3);
}

TEST_CASE("threads are kept for the next tasks") {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  Workers workers(8);
  for (int i = 0; i < 50; ++i) {
    REQUIRE(workers.run([&mutex, &threads] {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }));
    REQUIRE(workers.wait_until_idle(kSoon));
  }
  CHECK(threads.size() == 1);
}

TEST_CASE("the end waits for the tasks") {
  std::atomic<bool> done = false;
  {
    Workers workers(1);
    workers.run([&done] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done = true;
    });
  }
  CHECK(done);
}

}  // namespace
}  // namespace cellblock::rpc

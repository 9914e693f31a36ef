#include "rpc/outbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>

#include "base/socket.hpp"
#include "support/catch.hpp"

namespace cellblock::rpc {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kSoon{30'000};

std::string read_some(int fd, std::size_t size) {
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t count = ::read(fd, text.data() + filled, size - filled);
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return text;
}

TEST_CASE("lines are written whole and in order") {
  auto [reader, writer] = base::make_pipe();
  Outbox outbox(std::move(writer), [] {});
  outbox.send("one");
  outbox.send("two", std::make_shared<Allowance>());
  CHECK(outbox.flush(kSoon));
  CHECK(read_some(reader.get(), 8) == "one\ntwo\n");
}

TEST_CASE("a line that is larger than the pipe is written as it is read") {
  auto [reader, writer] = base::make_pipe();
  Outbox outbox(std::move(writer), [] {});
  const std::string large(1 << 20, 'x');
  outbox.send(large);
  CHECK(!outbox.flush(milliseconds(1)));
  CHECK(read_some(reader.get(), large.size() + 1) == large + "\n");
  CHECK(outbox.flush(kSoon));
}

TEST_CASE("who has used up its allowance waits, others do not") {
  auto [reader, writer] = base::make_pipe();
  Outbox outbox(std::move(writer), [] {});
  const auto allowance = std::make_shared<Allowance>(Allowance{.limit = 200'000});
  outbox.send(std::string(200'000, 'a'), allowance);
  auto blocked =
      std::async(std::launch::async, [&outbox, &allowance] { outbox.send("late", allowance); });
  outbox.send("other", std::make_shared<Allowance>());
  outbox.send("answer");
  CHECK(blocked.wait_for(milliseconds(20)) == std::future_status::timeout);
  CHECK(read_some(reader.get(), 200'001 + 6 + 7).ends_with("other\nanswer\n"));
  CHECK(blocked.wait_for(kSoon) == std::future_status::ready);
  CHECK(read_some(reader.get(), 5) == "late\n");
}

TEST_CASE("a peer that has gone is told once and holds nobody back") {
  std::signal(SIGPIPE, SIG_IGN);
  auto [reader, writer] = base::make_pipe();
  std::promise<void> broken;
  Outbox outbox(std::move(writer), [&broken] { broken.set_value(); });
  reader.reset();
  const auto allowance = std::make_shared<Allowance>(Allowance{.limit = 1});
  outbox.send("a", allowance);
  CHECK(broken.get_future().wait_for(kSoon) == std::future_status::ready);
  outbox.send("b", allowance);
  outbox.send("c", allowance);
  CHECK(!outbox.flush(kSoon));
}

TEST_CASE("an outbox ends while the peer does not read and a sender waits") {
  auto [reader, writer] = base::make_pipe();
  auto outbox = std::make_unique<Outbox>(std::move(writer), [] {});
  outbox->send(std::string(1 << 20, 'x'));
  CHECK(!outbox->wait_until_below(0, milliseconds(1)));
  outbox.reset();
  SUCCEED();
}

TEST_CASE("stopping lets who waits go on and drops what was not written") {
  auto [reader, writer] = base::make_pipe();
  Outbox outbox(std::move(writer), [] {});
  const auto allowance = std::make_shared<Allowance>(Allowance{.limit = 200'000});
  outbox.send(std::string(200'000, 'a'), allowance);
  auto blocked =
      std::async(std::launch::async, [&outbox, &allowance] { outbox.send("late", allowance); });
  CHECK(blocked.wait_for(milliseconds(20)) == std::future_status::timeout);
  outbox.stop();
  CHECK(blocked.wait_for(kSoon) == std::future_status::ready);
  outbox.send("later");
  CHECK(!outbox.flush(milliseconds(20)));
}

}  // namespace
}  // namespace cellblock::rpc

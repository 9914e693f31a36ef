#include "host/exit_judgement.hpp"

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>

#include "support/catch.hpp"

using namespace cellblock;
using namespace cellblock::host;

namespace {

/// Of which only the counter matters.
class Counter final : public SessionCgroup {
 public:
  Counter() : SessionCgroup(std::make_shared<CgroupPlaces>(), "session-1") {}
  void count_kill() { ++kills_; }

  [[nodiscard]] std::optional<std::uint64_t> oom_kills() const override { return kills_; }
  [[nodiscard]] std::optional<Bytes> peak_memory_bytes() const override { return {}; }
  [[nodiscard]] std::optional<std::chrono::microseconds> cpu_time() const override { return {}; }
  [[nodiscard]] std::optional<std::uint64_t> memory_failures() const override { return {}; }
  void restart_peak() override {}

 private:
  Expected<void> limit(const CgroupLimits& /*limits*/) override { return {}; }
  [[nodiscard]] const char* join_file() const override { return ""; }
  void open_counters() override {}

  std::uint64_t kills_ = 0;
};

const int kKilled = W_EXITCODE(0, SIGKILL);
constexpr KillTarget::Kills kAtDeadline{.as_such = false, .other = true};
constexpr KillTarget::Kills kForItsChannel{.as_such = true, .other = false};

}  // namespace

TEST_CASE("Who is killed while the group counts a kill for memory ended by that") {
  Counter group;
  group.count_kill();
  const auto end = judge_exit({.wait_status = kKilled, .group = &group});
  CHECK(end.kind == ProcessEnd::Kind::exited);
  CHECK(end.wait_status == kKilled);
  CHECK(end.out_of_memory);
  CHECK_FALSE(end.violated);
}

TEST_CASE("A kill from before the request, or of another process, is none of this one's") {
  Counter group;
  group.count_kill();
  CHECK_FALSE(
      judge_exit({.wait_status = kKilled, .group = &group, .oom_kills_before = 1}).out_of_memory);
  CHECK_FALSE(judge_exit({.wait_status = W_EXITCODE(0, 0), .group = &group}).out_of_memory);
  CHECK_FALSE(judge_exit({.wait_status = W_EXITCODE(0, SIGSEGV), .group = &group}).out_of_memory);
  CHECK_FALSE(judge_exit({.wait_status = kKilled}).out_of_memory);
}

TEST_CASE("Who was killed at its deadline leaves the kill for memory to the one beside it") {
  Counter group;
  group.count_kill();
  CHECK_FALSE(
      judge_exit({.wait_status = kKilled, .kills = kAtDeadline, .group = &group}).out_of_memory);
  CHECK(judge_exit({.wait_status = kKilled, .group = &group}).out_of_memory);
}

TEST_CASE("Who was killed for breaking the protocol did not run out of memory") {
  Counter group;
  group.count_kill();
  const auto end = judge_exit(
      {.wait_status = kKilled, .broke_protocol = true, .kills = kAtDeadline, .group = &group});
  CHECK(end.violated);
  CHECK_FALSE(end.out_of_memory);
}

TEST_CASE("A channel that was closed is a breach, but not of one that died of memory") {
  Counter group;
  const ExitEvidence cut_off{.wait_status = kKilled, .kills = kForItsChannel, .group = &group};
  CHECK(judge_exit(cut_off).violated);
  group.count_kill();
  const auto end = judge_exit(cut_off);
  CHECK(end.out_of_memory);
  CHECK_FALSE(end.violated);
}

TEST_CASE("Who ended by itself while it was to be killed for a breach broke nothing") {
  CHECK_FALSE(judge_exit({.wait_status = W_EXITCODE(3, 0), .kills = kForItsChannel}).violated);
}

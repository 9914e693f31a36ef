// Random operations over many sessions at once. `./dev soak SECONDS` runs it for longer.
//
//   CELLBLOCK_CHAOS_SECONDS   how long (60)
//   CELLBLOCK_CHAOS_SEED      an earlier run's, which is printed; threads still interleave anew
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "integration/chaos.hpp"
#include "support/catch.hpp"
#include "support/cgroups.hpp"
#include "support/sanitizers.hpp"
#include "support/scratch_folder.hpp"
#include "support/sessions.hpp"

using namespace cellblock;
using namespace cellblock::test;
namespace fs = std::filesystem;

namespace {

unsigned long number_from(const char* variable, unsigned long otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoul(text, nullptr, 10) : otherwise;
}

std::size_t resident_mebibytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t whole = 0;
  std::size_t resident = 0;
  file >> whole >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) >> 20;
}

std::size_t entries_in(const std::string& folder) {
  const fs::recursive_directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(fs::begin(all), fs::end(all)));
}

}  // namespace

TEST_CASE("Whatever is done to fifty sessions, each run has one true result and nothing is left") {
  if (!kMemoryIsMeasurable) CELLBLOCK_SKIP(kNotMeasurable);
  const auto seconds = std::chrono::seconds(number_from("CELLBLOCK_CHAOS_SECONDS", 60));
  const auto seed = number_from("CELLBLOCK_CHAOS_SEED", std::random_device()());
  std::fprintf(stderr, "chaos: CELLBLOCK_CHAOS_SEED=%lu for %ld s\n", seed,
               static_cast<long>(seconds.count()));
  const ScratchFolder scratch;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  auto executor = make_executor();
  ::unsetenv("TMPDIR");
  const auto settled = [&] { return descendants_of(::getpid()).size() <= 6; };
  REQUIRE(executor->run("1").text == "1");
  CHECK(wait_until(settled));
  const auto descriptors = open_descriptors();
  // What is allocated once is there after it.
  {
    Chaos warm_up(*executor, seed);
    warm_up.run_for(5s);
  }
  CHECK(wait_until(settled));
  ::malloc_trim(0);
  const auto memory = resident_mebibytes();

  Chaos chaos(*executor, seed);
  chaos.run_for(seconds);
  std::fprintf(stderr, "chaos: %s\n", chaos.summary().c_str());
  for (const std::string& problem : chaos.problems()) UNSCOPED_INFO(problem);
  CHECK(chaos.problems().empty());
  CHECK(chaos.runs_ended() == chaos.runs_started());

  CHECK(wait_until(settled));
  // Prepared groups come and go.
  CHECK(wait_until([&] { return open_descriptors() <= descriptors + 4; }));
  ::malloc_trim(0);
  INFO("descriptors " << descriptors << " before, " << open_descriptors() << " after");
  INFO("resident " << memory << " MiB before, " << resident_mebibytes() << " MiB after");
  CHECK(open_descriptors() <= descriptors + 4);
  CHECK(resident_mebibytes() <= memory + 64);
  std::fprintf(stderr, "chaos: descriptors %zu before, %zu after; resident %zu MiB, %zu MiB\n",
               descriptors, open_descriptors(), memory, resident_mebibytes());
  const auto groups = groups_of_sessions_below(::getpid());
  executor.reset();
  CHECK(descendants_of(::getpid()).empty());
  CHECK(entries_in(scratch.path()) == 0);
  for (const std::string& group : groups) CHECK_FALSE(fs::exists(group));
}

// cellblock-bench: how long starts and round trips take on this machine, each beside the thing that
// it is compared with, interleaved in one run.
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cellblock/version.hpp"
#include "host/fork_executor.hpp"
#include "lateness.hpp"
#include "raw_echo.hpp"
#include "samples.hpp"

namespace cellblock::bench {
namespace {

using host::ForkExecutor;
using host::ForkSession;

// The teardown of one sample must not run into the next; a tight loop would also hide what an idle
// machine pays.
constexpr std::chrono::milliseconds kGap{20};

constexpr const char* kGroupByData =
    "import numpy as np, pandas as pd\n"
    "df = pd.DataFrame({'k': np.arange(10_000) % 17, 'v': np.arange(10_000.0)})";
constexpr const char* kGroupBy = "df.groupby('k').v.mean().sum();";
constexpr int kImports = 20'000;
constexpr const char* kImportLoop = "for _ in range(20_000):\n    import json";
constexpr const char* kOperationLoop =
    "for i in range(100_000):\n    t = len(str(i)) + abs(-i) + max(i, 3)";

struct Failure {
  std::string message;
};

double time_us(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

std::shared_ptr<ForkSession> open(ForkExecutor& executor, protocol::ForkMode mode,
                                  const SecurityPolicy& policy = {}) {
  auto session = executor.open_session(policy, mode);
  if (!session) throw Failure{session.error().message};
  return *std::move(session);
}

void run(ForkSession& session, const char* code) {
  const ExecutionResult result = session.run(code, {}, {});
  if (result.status != Status::ok) throw Failure{result.to_json()};
}

double first_reply(ForkExecutor& executor, protocol::ForkMode mode) {
  std::shared_ptr<ForkSession> session;
  const double time = time_us([&] {
    session = open(executor, mode);
    run(*session, "x = 1");
  });
  session->close();
  std::this_thread::sleep_for(kGap);
  return time;
}

/// Of a further interpreter in the cage of a session that runs already.
double context_first_reply(ForkExecutor& executor, const ForkSession& other) {
  std::shared_ptr<ForkSession> context;
  const double time = time_us([&] {
    auto opened = executor.open_context(other);
    if (!opened) throw Failure{opened.error().message};
    context = *std::move(opened);
    run(*context, "x = 1");
  });
  context->close();
  std::this_thread::sleep_for(kGap);
  return time;
}

/// What a layer costs is the difference to the start with it.
double first_reply_without(ForkExecutor& executor, const char* layer) {
  executor.switch_off({layer});
  const double time = first_reply(executor, protocol::ForkMode::cage);
  executor.switch_off({});
  return time;
}

double group_by_cold(ForkExecutor& executor) {
  auto session = open(executor, protocol::ForkMode::cage);
  run(*session, kGroupByData);
  const double time = time_us([&] { run(*session, kGroupBy); });
  session->close();
  std::this_thread::sleep_for(kGap);
  return time;
}

double python_c_pass() {
  return time_us([] {
    const std::array<const char*, 4> arguments{"/usr/bin/python3", "-c", "pass", nullptr};
    pid_t pid = -1;
    int status = 0;
    if (::posix_spawn(&pid, arguments[0], nullptr, nullptr,
                      const_cast<char* const*>(arguments.data()), environ) != 0 ||
        ::waitpid(pid, &status, 0) != pid || status != 0) {
      throw Failure{"/usr/bin/python3 -c pass cannot be run; install python3."};
    }
  });
}

/// A round trip in a stream of round trips: what ran before it here were forks and long pauses,
/// which leave both sides' caches cold.
double steady_us(const std::function<void()>& work) {
  constexpr int kUntimed = 10;
  for (int i = 0; i < kUntimed; ++i) work();
  return time_us(work);
}

std::vector<Series> measure(ForkExecutor& executor, int runs) {
  RawEcho echo;
  auto steady = open(executor, protocol::ForkMode::cage);
  run(*steady, kGroupByData);
  for (int i = 0; i < 20; ++i) {
    run(*steady, "x = 1");
    run(*steady, kGroupBy);
  }
  auto with_200 = open(executor, protocol::ForkMode::cage);
  run(*with_200, "for i in range(100): globals().update({f'v{i}': i, f'l{i}': [i]})");
  auto with_5000 = open(executor, protocol::ForkMode::cage);
  run(*with_5000, "for i in range(2500): globals().update({f'v{i}': i, f'l{i}': [i]})");
  auto unguarded = open(executor, protocol::ForkMode::cage, {.import_guard = ImportGuard::off});
  auto with_contexts = open(executor, protocol::ForkMode::cage);
  struct Measurement {
    Series series;
    std::function<double()> sample;
  };
  std::vector<Measurement> all;
  const auto add = [&](const char* name, std::function<double()> sample) {
    all.push_back({.series = {.name = name, .microseconds = {}}, .sample = std::move(sample)});
  };
  add("bare_fork_first_reply", [&] { return first_reply(executor, protocol::ForkMode::bare); });
  add("cold_session_first_reply", [&] { return first_reply(executor, protocol::ForkMode::cage); });
  add("context_first_reply", [&] { return context_first_reply(executor, *with_contexts); });
  add("cold_session_without_cgroup", [&] { return first_reply_without(executor, "cgroup"); });
  add("steady_round_trip", [&] { return steady_us([&] { run(*steady, "x = 1"); }); });
  add("raw_echo_1k", [&] {
    return steady_us([&] {
      if (!echo.round_trip()) throw Failure{"The echoing process is gone; run it again."};
    });
  });
  // What a run pays for variables that it leaves alone: the difference to steady_round_trip.
  add("steady_with_200_variables", [&] { return steady_us([&] { run(*with_200, "x = 1"); }); });
  add("steady_with_5000_variables", [&] { return steady_us([&] { run(*with_5000, "x = 1"); }); });
  add("group_by_cold", [&] { return group_by_cold(executor); });
  add("group_by_steady", [&] { return steady_us([&] { run(*steady, kGroupBy); }); });
  add("python_c_pass", python_c_pass);
  add("import_guarded", [&] { return time_us([&] { run(*steady, kImportLoop); }) / kImports; });
  add("import_unguarded",
      [&] { return time_us([&] { run(*unguarded, kImportLoop); }) / kImports; });
  add("operations_guarded", [&] { return time_us([&] { run(*steady, kOperationLoop); }); });
  add("operations_unguarded", [&] { return time_us([&] { run(*unguarded, kOperationLoop); }); });
  for (int i = 0; i < runs; ++i) {
    for (Measurement& measurement : all) {
      measurement.series.microseconds.push_back(measurement.sample());
    }
  }
  std::vector<Series> series;
  for (Measurement& measurement : all) series.push_back(std::move(measurement.series));
  return series;
}

int run_bench(int runs, const std::string& json_file) {
  auto executor = ForkExecutor::create({});
  if (!executor) throw Failure{executor.error().message};
  const auto info = (*executor)->info();
  if (!info) throw Failure{info.error().message};
  auto series = measure(**executor, runs);
  series.push_back(kill_lateness(**executor, "kill_lateness_1_session", 1));
  series.push_back(kill_lateness(**executor, "kill_lateness_100_sessions", 100));
  std::fputs(to_table(series).c_str(), stdout);
  if (json_file.empty()) return 0;
  std::ofstream file(json_file);
  file << to_json(series, {{"python", info->python_version},
                           {"cellblock", std::string(version())},
                           {"zygote_start_ms", std::to_string(info->zygote_start_ms)}});
  file.close();
  if (!file) throw Failure{"The file " + json_file + " cannot be written; name another."};
  return 0;
}

}  // namespace
}  // namespace cellblock::bench

int main(int argc, char** argv) {
  CLI::App app("Measures starts and round trips; figures are comparable within one run only.");
  bool quick = false;
  std::string json_file;
  app.add_flag("--quick", quick, "50 runs of each instead of 200");
  app.add_option("--json", json_file, "Write the figures to this file")->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  try {
    return cellblock::bench::run_bench(quick ? 50 : 200, json_file);
  } catch (const cellblock::bench::Failure& failure) {
    std::fprintf(stderr, "cellblock-bench: %s\n", failure.message.c_str());
    return 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "cellblock-bench: %s\n", failure.what());
    return 1;
  }
}

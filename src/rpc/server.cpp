#include "rpc/server.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "rpc/dispatcher.hpp"
#include "rpc/line_reader.hpp"

namespace cellblock::rpc {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxLineBytes = 64U << 20;
/// Answers that the peer has not taken yet; beyond it no more requests are read.
constexpr std::size_t kMaxBacklogBytes = 64U << 20;
constexpr milliseconds kBacklogCheck{100};
constexpr milliseconds kEndLimit{2'000};

// Everything that workers use.
struct State {
  State(base::UniqueFd output, int wake, const ServerOptions& given)
      : options(given),
        wake_fd(wake),
        executors(options.executor),
        outbox(std::move(output), [this] { end(); }),
        engine{executors, sessions, outbox, options.policy} {}

  void end() const { ::eventfd_write(wake_fd, 1); }
  void check(Executor& executor);

  const ServerOptions options;
  const int wake_fd;
  Executors executors;
  Sessions sessions;
  Outbox outbox;
  Engine engine;
  std::mutex mutex;
  std::optional<Error> failure;
  Workers workers{kMaxRequests};
};

void State::check(Executor& executor) {
  if (!options.check) return;
  auto checked = options.check(executor);
  if (checked) return;
  {
    const std::lock_guard lock(mutex);
    failure = std::move(checked).error();
  }
  end();
}

void take_requests(LineReader& reader, State& state) {
  Dispatcher dispatcher(state.engine, state.workers);
  std::string line;
  while (true) {
    switch (reader.next(line)) {
      case LineReader::Got::line:
        dispatcher.take(line);
        break;
      case LineReader::Got::too_long:
        dispatcher.refuse_long_line(kMaxLineBytes);
        break;
      case LineReader::Got::end:
        return;
    }
    while (!state.outbox.wait_until_below(kMaxBacklogBytes, kBacklogCheck)) {
      if (reader.hung_up()) return;
    }
  }
}

// False: not everything ended in time.
bool end_all(State& state) {
  const auto deadline = std::chrono::steady_clock::now() + kEndLimit;
  const auto left = [deadline] {
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(
                                         deadline - std::chrono::steady_clock::now()));
  };
  std::packaged_task<void()> close([&state] { state.sessions.close_all(); });
  const auto closed = close.get_future();
  std::thread(std::move(close)).detach();
  const bool idle = state.workers.wait_until_idle(left());
  const bool flushed = state.outbox.flush(left());
  return closed.wait_until(deadline) == std::future_status::ready && idle && flushed;
}

}  // namespace

Expected<void> serve(base::UniqueFd input, base::UniqueFd output, int wake_fd,
                     const ServerOptions& options) {
  auto state = std::make_unique<State>(std::move(output), wake_fd, options);
  const auto executor = state->executors.get();
  if (!executor) return Error{executor.error().kind, executor.error().message};
  state->workers.run([&state = *state, executor = *executor] { state.check(*executor); });
  LineReader reader(input.get(), wake_fd, kMaxLineBytes);
  take_requests(reader, *state);

  const bool ended = end_all(*state);
  Expected<void> outcome;
  {
    const std::lock_guard lock(state->mutex);
    if (state->failure) outcome = *state->failure;
  }
  // Threads that are late still use it.
  if (!ended) static_cast<void>(state.release());
  return outcome;
}

}  // namespace cellblock::rpc

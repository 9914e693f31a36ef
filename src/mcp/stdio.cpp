#include "mcp/stdio.hpp"

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

#include "mcp/refusal.hpp"
#include "rpc/line_reader.hpp"
#include "rpc/outbox.hpp"

namespace cellblock::mcp {
namespace {

using std::chrono::milliseconds;

/// Answers that the peer has not taken yet; beyond it no more requests are read.
constexpr std::size_t kMaxBacklogBytes = 64U << 20;
constexpr milliseconds kBacklogCheck{100};
constexpr milliseconds kEndLimit{2'000};

class LineReply final : public Reply {
 public:
  explicit LineReply(rpc::Outbox& outbox) : outbox_(outbox) {}
  void notify(const std::string& text) override { outbox_.send(text, allowance_); }
  void finish(const Answer& answer) override {
    if (!answer.text.empty()) outbox_.send(answer.text, answer.held);
  }

 private:
  rpc::Outbox& outbox_;
  const std::shared_ptr<rpc::Allowance> allowance_ = std::make_shared<rpc::Allowance>();
};

// Everything that the server's threads use.
struct State {
  State(std::unique_ptr<Server> given, base::UniqueFd output, int wake)
      : wake_fd(wake),
        outbox(std::move(output), [this] { end(); }),
        server(std::move(given)),
        connection(Server::connect()) {}

  void end() const { ::eventfd_write(wake_fd, 1); }
  void check(const std::function<Expected<void>(Executor&)>& look);
  void take(const std::string& line);
  void take_lines(rpc::LineReader& reader);

  const int wake_fd;
  rpc::Outbox outbox;
  std::unique_ptr<Server> server;
  const std::shared_ptr<Connection> connection;
  std::mutex mutex;
  std::optional<Error> failure;
};

void State::check(const std::function<Expected<void>(Executor&)>& look) {
  auto checked = look(server->executor());
  if (checked) return;
  {
    const std::lock_guard lock(mutex);
    failure = std::move(checked).error();
  }
  end();
}

void State::take(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  auto message = Message::parse(line);
  if (!message) return outbox.send(message.error().text);
  server->handle(*message, {.connection = connection}, std::make_shared<LineReply>(outbox));
}

void State::take_lines(rpc::LineReader& reader) {
  std::string line;
  while (true) {
    switch (reader.next(line)) {
      case rpc::LineReader::Got::line:
        take(line);
        break;
      case rpc::LineReader::Got::too_long:
        outbox.send(Message::too_long().text);
        break;
      case rpc::LineReader::Got::end:
        return;
    }
    while (!outbox.wait_until_below(kMaxBacklogBytes, kBacklogCheck)) {
      if (reader.hung_up()) return;
    }
  }
}

}  // namespace

Expected<void> serve_stdio(base::UniqueFd input, base::UniqueFd output, int wake_fd,
                           StdioOptions options) {
  auto server = Server::create(std::move(options.server));
  if (!server) return std::move(server).error();
  auto state = std::make_unique<State>(std::move(*server), std::move(output), wake_fd);
  std::packaged_task<void()> check([&state = *state, check = std::move(options.check)] {
    if (check) state.check(check);
  });
  const auto checked = check.get_future();
  std::thread(std::move(check)).detach();
  rpc::LineReader reader(input.get(), wake_fd, Message::kMaxBytes);
  state->take_lines(reader);

  const auto deadline = std::chrono::steady_clock::now() + kEndLimit;
  bool ended = state->server->close(kEndLimit);
  ended &= state->outbox.flush(std::max(
      milliseconds(0),
      std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now())));
  ended &= checked.wait_until(deadline) == std::future_status::ready;
  Expected<void> outcome;
  {
    const std::lock_guard lock(state->mutex);
    if (state->failure) outcome = *state->failure;
  }
  // Threads that are late still use it.
  if (!ended) static_cast<void>(state.release());
  return outcome;
}

}  // namespace cellblock::mcp

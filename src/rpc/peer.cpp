#include "rpc/peer.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "rpc/line_reader.hpp"

namespace cellblock::rpc {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMaxLineBytes = 64U << 20;
/// What answers that are built or wait for the peer take together: one download of 32 MiB and more.
constexpr std::size_t kMaxAnswerBytes = 512U << 20;
/// Answers that the peer has not taken yet; beyond it no more requests are read.
constexpr std::size_t kMaxBacklogBytes = 64U << 20;
constexpr milliseconds kBacklogCheck{100};

}  // namespace

Peer::Peer(Service& service, base::UniqueFd output, int wake_fd)
    : wake_fd_(wake_fd),
      outbox_(std::move(output), [wake_fd] { ::eventfd_write(wake_fd, 1); }),
      answers_(kMaxAnswerBytes),
      engine_{service.executors(), sessions_, outbox_, service.policy(), answers_} {}

Peer::~Peer() {
  close_sessions();
  // Who waits for room in the outbox goes on.
  outbox_.stop();
}

void Peer::serve(int input) {
  Dispatcher dispatcher(engine_, workers_);
  LineReader reader(input, wake_fd_, kMaxLineBytes);
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
    while (!outbox_.wait_until_below(kMaxBacklogBytes, kBacklogCheck)) {
      if (reader.hung_up()) return;
    }
  }
}

bool Peer::end(milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto left = [deadline] {
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(
                                         deadline - std::chrono::steady_clock::now()));
  };
  close_sessions();
  const bool idle = workers_.wait_until_idle(left());
  const bool flushed = outbox_.flush(left());
  return closing_.wait_until(deadline) == std::future_status::ready && idle && flushed;
}

void Peer::close_sessions() {
  answers_.close();
  if (closing_.valid()) return;
  closing_ = std::async(std::launch::async, [this] { sessions_.close_all(); });
}

}  // namespace cellblock::rpc

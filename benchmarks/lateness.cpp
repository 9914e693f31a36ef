#include "lateness.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cellblock::bench {
namespace {

// Long enough for all of them to be in their loops when the first one is due.
constexpr std::chrono::milliseconds kTimeout{2'000};
constexpr std::chrono::milliseconds kGrace{500};

}  // namespace

Series kill_lateness(host::ForkExecutor& executor, std::string name, std::size_t sessions) {
  SecurityPolicy policy;
  policy.timeout = kTimeout;
  policy.grace = kGrace;
  std::vector<std::shared_ptr<host::ForkSession>> opened;
  for (std::size_t i = 0; i < sessions; ++i) {
    auto session = executor.open_session(policy);
    if (!session) throw std::runtime_error(session.error().message);
    opened.push_back(*std::move(session));
  }
  std::vector<std::shared_ptr<host::Execution>> running;
  for (const auto& session : opened)
    running.push_back(session->start("sum(range(10 ** 13))", {}, {}));
  Series series{.name = std::move(name), .microseconds = {}};
  for (const auto& execution : running) {
    const ExecutionResult result = execution->wait();
    if (result.status != Status::timeout) throw std::runtime_error(result.to_json());
    constexpr double due_ms = static_cast<double>((kTimeout + kGrace).count());
    series.microseconds.push_back((result.usage.wall_ms - due_ms) * 1000);
  }
  for (const auto& session : opened) session->close();
  return series;
}

}  // namespace cellblock::bench

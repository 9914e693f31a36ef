#include "rpc/server.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "rpc/peer.hpp"

namespace cellblock::rpc {
namespace {

constexpr std::chrono::milliseconds kEndLimit{2'000};

}  // namespace

Expected<void> serve(base::UniqueFd input, base::UniqueFd output, int wake_fd,
                     const ServerOptions& options) {
  auto service = std::make_unique<Service>(options, wake_fd);
  if (auto started = service->start(); !started) return started;
  auto peer = std::make_unique<Peer>(*service, std::move(output), wake_fd);
  peer->serve(input.get());

  const auto deadline = std::chrono::steady_clock::now() + kEndLimit;
  const bool ended = peer->end(kEndLimit);
  const bool checked =
      service->wait_until_checked(std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now()));
  auto outcome = service->outcome();
  // Threads that are late still use them.
  if (!ended) static_cast<void>(peer.release());
  if (!ended || !checked) static_cast<void>(service.release());
  return outcome;
}

}  // namespace cellblock::rpc

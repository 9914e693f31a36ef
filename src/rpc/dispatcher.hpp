// From a line to a method, and from its outcome to an answer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rpc/methods.hpp"
#include "rpc/workers.hpp"

namespace cellblock::rpc {

/// Requests at once, and how many of these are kept for the urgent ones (interrupt, close).
inline constexpr std::size_t kMaxRequests = 512;
inline constexpr std::size_t kUrgentRoom = 64;

/// JSON-RPC 2.0 with its batches. For one thread; `engine` and `workers` outlive it, and the
/// workers are idle before the engine goes.
class Dispatcher final {
 public:
  Dispatcher(Engine& engine, Workers& workers) : engine_(engine), workers_(workers) {}

  /// Takes one line of input. Never blocks; answers go to the outbox as they are ready.
  void take(const std::string& line);
  /// The same for a line that was longer than the limit.
  void refuse_long_line(std::size_t limit);

 private:
  /// Gets the answer's text, empty for a request that wants none, and what is held for it.
  using Reply = std::function<void(std::string, AnswerRoom::Held)>;
  struct Asker;

  void take_batch(Json& batch);
  void take_request(Json& request, Reply reply, AnswerRoom::WhenFull when_full);
  static void run_large(const LargeWork& large, const Asker& asker);
  void call(const Method& method, const Json& params, const Asker& asker);

  Engine& engine_;
  Workers& workers_;
};

}  // namespace cellblock::rpc

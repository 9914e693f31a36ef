// The supervisor: one thread that waits for every descriptor of an executor (sessions' channels
// and pipes, zygotes' control sockets) and hands on what came.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/unique_fd.hpp"

namespace cellblock::host {

/// Thread-safe. Handlers run on the supervisor's thread, one at a time; they must not block.
class Supervisor final {
 public:
  using Handler = std::function<void(std::uint32_t events)>;
  using Token = std::uint64_t;

  Supervisor();
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Level-triggered; `events` are EPOLL*. The descriptor stays the caller's and must outlive its
  /// watch. Watching starts as soon as this is called.
  Token watch(int fd, std::uint32_t events, Handler handler);
  void change(Token token, std::uint32_t events);
  /// After it returns the handler does not start any more (it may still run when this is called on
  /// another thread than the supervisor's).
  void unwatch(Token token);

 private:
  struct Watch {
    int fd;
    std::shared_ptr<Handler> handler;
  };

  void loop();

  base::UniqueFd epoll_;
  base::UniqueFd stop_event_;
  std::mutex mutex_;
  std::unordered_map<Token, Watch> watches_;
  Token next_token_ = 1;
  std::thread thread_;
};

}  // namespace cellblock::host

// Calls that other threads want made on the supervisor's.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/unique_fd.hpp"
#include "host/supervisor.hpp"

namespace cellblock::in_process {

/// Thread-safe; posting never blocks. What is posted after close() is dropped.
class Mailbox final : public std::enable_shared_from_this<Mailbox> {
 public:
  /// Null: no descriptors are left.
  static std::shared_ptr<Mailbox> open(host::Supervisor& supervisor);

  void post(std::function<void()> call);
  /// Before the supervisor ends.
  void close();

 private:
  Mailbox(host::Supervisor& supervisor, base::UniqueFd event)
      : supervisor_(supervisor), event_(std::move(event)) {}
  void deliver();

  host::Supervisor& supervisor_;
  base::UniqueFd event_;
  host::Supervisor::Token token_ = 0;
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<std::function<void()>> calls_;
};

}  // namespace cellblock::in_process

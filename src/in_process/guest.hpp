// One session in the host's process: a thread in an interpreter, that serves as a forked session
// would.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "base/unique_fd.hpp"
#include "host/session_source.hpp"
#include "in_process/mailbox.hpp"
#include "in_process/python_home.hpp"
#include "session/channel.hpp"

namespace cellblock::in_process {

/// Thread-safe. Its thread keeps it alive.
class Guest final : public std::enable_shared_from_this<Guest> {
 public:
  /// The descriptors are the session's channel, stdout and stderr. `parked` counts guests whose
  /// thread runs on after they were given up; it outlives the process's threads.
  Guest(std::array<base::UniqueFd, 3> descriptors, protocol::ForkRequest request,
        std::shared_ptr<host::ForkClient> client, std::shared_ptr<Mailbox> mailbox,
        std::shared_ptr<std::atomic<std::size_t>> parked);

  /// Once.
  void start();
  /// Raises KeyboardInterrupt in what runs now. Does not block.
  void interrupt();
  /// Gives the thread up: to the host the session has ended, as if killed. The thread is stopped as
  /// soon as it listens. Does not block.
  void abandon();
  [[nodiscard]] bool is_starting() const { return starting_; }

 private:
  void live();
  bool serve(Place& place, const protocol::SessionConfig& config);
  void refuse(const std::string& message);
  void nag();
  void send_interrupt(std::uint64_t request);
  void let_interrupts_end();
  void tell_exited(int wait_status);

  std::array<base::UniqueFd, 3> descriptors_;  // of its thread
  const protocol::ForkRequest request_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<std::atomic<std::size_t>> parked_;
  session::Channel channel_;
  std::atomic<bool> starting_ = true;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<host::ForkClient> client_;  // until it was told
  python::Subinterpreter* interpreter_ = nullptr;
  unsigned long thread_ = 0;
  int interrupts_ = 0;  // under way
  bool abandoned_ = false;
  bool over_ = false;  // nothing is left to interrupt
};

}  // namespace cellblock::in_process

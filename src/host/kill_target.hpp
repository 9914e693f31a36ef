// The processes of one session, as far as signals go.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/unique_fd.hpp"
#include "cellblock/result.hpp"

namespace cellblock::host {

/// `lifetime`: the session's, that is over.
enum class StopReason { deadline, cpu_time, caller, lifetime };

/// What the watchdog did to a request: the first reason and the highest rung.
struct Stop {
  std::optional<StopReason> reason;
  std::optional<StoppedBy> rung;
};

/// Thread-safe, never blocks.
class KillTarget final {
 public:
  /// Signals go through pidfds: a number that the kernel gave to another process in the meantime is
  /// never hit. `init`: the first process of the session's pid namespace, whose death ends all of
  /// them; without one the session's process is killed and the zygote ends the rest of its group.
  KillTarget(base::UniqueFd session, base::UniqueFd init);
  /// What is no process: the functions stand for SIGINT and SIGKILL. They must not block.
  KillTarget(std::function<void()> interrupt, std::function<void()> kill)
      : send_interrupt_(std::move(interrupt)), send_kill_(std::move(kill)) {}

  void begin(std::uint64_t request);
  /// From here on no signal meant for this request is sent.
  Stop end(std::uint64_t request);

  /// SIGINT to the session's process, which goes on if it was stopped; false when `request` is no
  /// longer the running one.
  bool interrupt(std::uint64_t request, StopReason reason);
  /// Makes the session's process write its Python stack, likewise.
  bool ask_for_stack(std::uint64_t request);
  /// SIGKILL to every process of the session, likewise.
  bool kill(std::uint64_t request, StopReason reason);
  /// SIGKILL to every process of the session, whatever runs.
  void kill_now();

  /// The main process's number in our own pid namespace; 0 once it is reaped, or for what is none.
  [[nodiscard]] pid_t number() const;
  /// What the session's main process has used of the processors; nothing once it has ended,
  /// or for what is no process.
  [[nodiscard]] std::optional<std::chrono::microseconds> cpu_time() const;

  /// A request number that stands for whatever runs, for a watch on the process as such.
  static constexpr std::uint64_t kAnyRequest = 0;
  /// Which SIGKILLs the main process got while it lived: those that come later end nothing.
  struct Kills {
    bool as_such = false;  // for kAnyRequest
    bool other = false;
  };
  [[nodiscard]] Kills kills();

 private:
  [[nodiscard]] bool has_ended() const;

  std::mutex mutex_;
  std::shared_ptr<const base::UniqueFd> process_;  // null: it is none
  std::function<void()> send_interrupt_;
  std::function<void()> send_kill_;
  std::optional<std::uint64_t> running_;
  Stop stop_;
  Kills kills_;
};

}  // namespace cellblock::host

// The host's end of one zygote: starts the program, asks it for sessions, hears of their ends.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"
#include "host/kill_target.hpp"
#include "host/session_source.hpp"
#include "host/supervisor.hpp"
#include "host/watchdog.hpp"
#include "protocol/frame.hpp"
#include "protocol/messages.hpp"

namespace cellblock::host {

struct ZygoteOptions {
  std::string program;
  std::string python;
  std::vector<std::string> preload;
  std::string helpers;               ///< a Python file, or empty
  std::string cache_folder;          ///< writable; for matplotlib's font list
  std::vector<std::string> without;  ///< layers, for tests of what holds without them
};

/// Thread-safe.
class Zygote final : public SessionSource, public std::enable_shared_from_this<Zygote> {
 public:
  /// Starts the process; does not wait for it. Error kind: host_error.
  static Expected<std::shared_ptr<Zygote>> start(const ZygoteOptions& options,
                                                 Supervisor& supervisor);
  /// Ends it with all its sessions, and reaps it.
  ~Zygote() override;

  /// Blocks until it is warm or has failed. Error kind: host_error, with the zygote's own words.
  Expected<protocol::ZygoteReady> wait_ready() override;
  /// False once it has failed or died: another one is needed.
  [[nodiscard]] bool usable() const override;
  /// Milliseconds from start to ready; 0 before.
  [[nodiscard]] double start_ms() const override;
  /// The process's number in the caller's pid namespace.
  [[nodiscard]] int pid() const { return pid_; }

  /// Asks for a session. The descriptors are its channel, stdout, stderr, the pipe for its stacks
  /// and those of its control groups, as many as the request says; they are copied. The client is
  /// told on_zygote_lost when the request cannot be sent. It is kept until its session has ended.
  void fork(const protocol::ForkRequest& request, std::span<const int> descriptors,
            const std::shared_ptr<ForkClient>& client) override;
  /// The zygote's own process, for a watch on one that does not answer.
  [[nodiscard]] std::shared_ptr<KillTarget> kill_target() const override;
  /// SIGKILL to the zygote.
  void kill();
  /// Stops watching and closes the sockets: its sessions end. on_zygote_lost is told to clients.
  void shut_down();

 private:
  Zygote(Supervisor& supervisor, base::UniqueFd control, base::UniqueFd liveness,
         base::UniqueFd process, base::UniqueFd complaints, int pid);

  void watch();
  void on_control_readable();
  void handle(const protocol::Frame& frame);
  void lose();
  std::string last_words();
  std::shared_ptr<ForkClient> take_client(std::uint64_t id);
  std::shared_ptr<ForkClient> find_client(std::uint64_t id);

  enum class Phase { starting, ready, failed };

  Supervisor& supervisor_;
  base::UniqueFd control_;
  base::UniqueFd liveness_;    // its closing tells zygote and cages that the host is gone
  base::UniqueFd process_;     // pidfd
  base::UniqueFd complaints_;  // the zygote's stderr
  int pid_;
  Supervisor::Token token_ = 0;
  Clock::time_point started_ = Clock::now();

  // Only the supervisor's thread:
  protocol::FrameParser parser_;
  std::vector<base::UniqueFd> received_;

  std::mutex send_mutex_;  // one request's bytes and descriptors stay together

  mutable std::mutex mutex_;
  std::condition_variable settled_;
  Phase phase_ = Phase::starting;
  protocol::ZygoteReady ready_;
  std::string failure_;
  double start_ms_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<ForkClient>> clients_;
  std::uint64_t next_fork_ = 1;
};

}  // namespace cellblock::host

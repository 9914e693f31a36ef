// Where the sessions of an executor come from: a zygote's forks, or threads of the host itself.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/executor.hpp"
#include "host/kill_target.hpp"
#include "host/supervisor.hpp"
#include "protocol/messages.hpp"

namespace cellblock::host {

struct ForkedProcess {
  std::shared_ptr<KillTarget> target;
  base::UniqueFd workspace;  ///< the root folder of its tmpfs; nothing where it has none
};

/// Who asked for a session process. Called on the supervisor's thread.
class ForkClient {
 public:
  virtual ~ForkClient() = default;
  virtual void on_forked(Expected<ForkedProcess> forked) = 0;
  /// Instead: there is none, since the cage that it should share has ended.
  virtual void on_cage_gone() = 0;
  /// Every process of the session has ended. Comes after on_forked.
  virtual void on_exited(const protocol::SessionExited& exited) = 0;
  /// The zygote is gone, and with it the session.
  virtual void on_zygote_lost(const std::string& why) = 0;
};

/// Thread-safe.
class SessionSource {
 public:
  SessionSource() = default;
  virtual ~SessionSource() = default;
  SessionSource(const SessionSource&) = delete;
  SessionSource& operator=(const SessionSource&) = delete;

  /// Blocks until sessions can be asked for, or never will. Error kind: host_error.
  virtual Expected<protocol::ZygoteReady> wait_ready() = 0;
  /// False once it has failed or died: another one is needed.
  [[nodiscard]] virtual bool usable() const = 0;
  /// Milliseconds from start to ready; 0 before.
  [[nodiscard]] virtual double start_ms() const = 0;
  /// Asks for a session. The descriptors are its channel, stdout, stderr, the pipe for Python
  /// stacks and those of its control groups, as many as the request says; they are copied. The
  /// client is told when it cannot be had, and kept until its session has ended.
  virtual void fork(const protocol::ForkRequest& request, std::span<const int> descriptors,
                    const std::shared_ptr<ForkClient>& client) = 0;
  /// Threads of sessions that were given up because nothing ends them, and that still run.
  [[nodiscard]] virtual std::size_t parked_threads() const { return 0; }
  /// The source as such, for a watch on one that does not answer.
  [[nodiscard]] virtual std::shared_ptr<KillTarget> kill_target() const = 0;
};

struct SourceOptions {
  const ExecutorOptions& options;
  std::string runtime_folder;
  std::vector<std::string> without;  ///< layers that are left out, for tests
};

struct SourceKind {
  std::string executor;   ///< the executor's name
  bool isolates = false;  ///< sessions are confined as the policy asks; else they share the host
  std::function<Expected<std::shared_ptr<SessionSource>>(const SourceOptions& options,
                                                         Supervisor& supervisor)>
      start;
  /// What a caller that is about to wait must let go of, if anything; it is taken up again with
  /// the pointer's end.
  std::function<std::shared_ptr<void>()> step_out = [] { return nullptr; };
};

/// The fork executor's.
SourceKind zygote_sources();

/// The in-process executor's stands in a library of its own, which announces it when it is linked.
void announce_in_process_sources(SourceKind kind);
/// Null: that library is not linked.
const SourceKind* in_process_sources();

}  // namespace cellblock::host

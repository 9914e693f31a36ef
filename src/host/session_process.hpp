// One live session process as the host sees it: a channel, two pipes, and signals.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "cellblock/session.hpp"
#include "host/request.hpp"
#include "host/session_cgroup.hpp"
#include "host/session_source.hpp"
#include "host/supervisor.hpp"
#include "host/watchdog.hpp"
#include "protocol/frame.hpp"
#include "protocol/messages.hpp"

namespace cellblock::host {

class SessionProcess;

/// Called on the supervisor's thread; on_output and on_frame also on the thread that waits in
/// SessionProcess::wait_channel or calls read_output.
class ProcessListener {
 public:
  virtual ~ProcessListener() = default;
  virtual void on_ready(SessionProcess& process, const protocol::SessionReady& ready) = 0;
  virtual void on_output(OutputStream stream, std::string_view bytes) = 0;
  virtual void on_frame(SessionProcess& process, protocol::Frame frame) = 0;
  /// The last call for this process: it has ended with all of its children, and all its output has
  /// been handed on.
  virtual void on_ended(SessionProcess& process, const ProcessEnd& end) = 0;
};

/// What the session says is hostile: a frame out of order or out of bounds ends it.
class SessionProcess final : public ForkClient,
                             public std::enable_shared_from_this<SessionProcess> {
 public:
  /// Asks the source for a process, which joins the group (null: none). What becomes of it is told
  /// to the listener, who may be gone by then.
  static std::shared_ptr<SessionProcess> start(protocol::ForkRequest request,
                                               std::shared_ptr<SessionCgroup> cgroup,
                                               const std::shared_ptr<SessionSource>& source,
                                               Supervisor& supervisor, Watchdog& watchdog,
                                               std::weak_ptr<ProcessListener> listener);
  ~SessionProcess() override;

  /// Sends as far as the socket takes it; the rest follows as the session reads. Does not block.
  void send(protocol::FrameType type, std::uint64_t id, std::string_view body);
  /// From here on the peak of memory counts anew, where the kernel can do that, and kills by the
  /// kernel are the next execution's.
  void start_counting();
  /// Nothing: it has no group that counts it.
  [[nodiscard]] std::optional<Bytes> peak_memory_bytes() const;
  /// Null: none.
  [[nodiscard]] const std::shared_ptr<SessionCgroup>& cgroup() const { return cgroup_; }
  /// Hands on what is in the pipes now, no more.
  void read_output();
  /// Ends the process for breaking the protocol. Only from on_frame.
  void refuse();

  // Who waits for an answer can read the channel itself, which saves waking two threads for one
  // frame: between claim and release the supervisor leaves the channel alone.
  void claim_channel();
  void release_channel();
  /// Blocks until there was something to read, which is handed on, or until wake() is called.
  void wait_channel();
  void wake();
  void kill();
  /// Null before the fork is done.
  [[nodiscard]] std::shared_ptr<KillTarget> target();

  /// The tmpfs that came with it, once; nothing: its workspace is the folder that it was given.
  /// Only from on_ready.
  base::UniqueFd take_workspace() { return std::move(workspace_); }

  void on_forked(Expected<ForkedProcess> forked) override;
  void on_cage_gone() override;
  void on_exited(const protocol::SessionExited& exited) override;
  void on_zygote_lost(const std::string& why) override;

 private:
  SessionProcess(std::shared_ptr<SessionCgroup> cgroup, Supervisor& supervisor, Watchdog& watchdog,
                 std::weak_ptr<ProcessListener> listener);

  void watch();
  void unwatch();
  void on_channel(std::uint32_t events);
  void read_channel();
  void handle_frames();
  void flush_outbox();
  void set_interest();
  void on_channel_closed();
  void on_pipe(OutputStream stream);
  /// The number of bytes that were there.
  std::size_t read_pipe(OutputStream stream, std::size_t most);
  void drain();
  [[nodiscard]] std::string read_stack() const;
  void announce_if_ready(const std::shared_ptr<ProcessListener>& listener);
  void end(const ProcessEnd& end);

  const std::shared_ptr<SessionCgroup> cgroup_;
  std::atomic<std::uint64_t> oom_kills_before_{0};
  Supervisor& supervisor_;
  Watchdog& watchdog_;
  std::weak_ptr<ProcessListener> listener_;
  base::UniqueFd channel_;
  base::UniqueFd out_;
  base::UniqueFd err_;
  base::UniqueFd stack_;  // what it wrote of its Python stacks; read when it has ended
  Supervisor::Token channel_token_ = 0;
  Supervisor::Token out_token_ = 0;
  Supervisor::Token err_token_ = 0;

  base::UniqueFd wake_event_;

  std::mutex io_mutex_;  // one reader of the channel at a time; guards what follows
  protocol::FrameParser parser_;
  std::optional<protocol::SessionReady> ready_;
  base::UniqueFd workspace_;
  bool announced_ = false;
  bool ended_ = false;
  bool violated_ = false;
  bool channel_closed_ = false;

  std::mutex pipe_mutex_;  // one reader at a time, so that bytes are handed on in order

  std::mutex mutex_;
  std::shared_ptr<KillTarget> target_;
  bool kill_wanted_ = false;
  bool claimed_ = false;
  std::string outbox_;
};

}  // namespace cellblock::host

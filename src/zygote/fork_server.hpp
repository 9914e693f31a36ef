// The zygote's loop: forks sessions for the host and tells of their end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "protocol/frame.hpp"
#include "python/runtime.hpp"
#include "zygote/after_fork.hpp"
#include "zygote/cage_builder.hpp"
#include "zygote/reaper.hpp"

namespace cellblock::zygote {

/// One thread, no user code, ever. Everything that it has started dies with the host: when the
/// control socket or the liveness pipe closes, or the host sends what is no fork request.
class ForkServer final {
 public:
  /// The references must outlive the process; `control_fd` stays the caller's.
  ForkServer(int control_fd, const ZygoteFacts& facts, CageBuilder& cages,
             python::Runtime& runtime);

  [[noreturn]] void run();

 private:
  void receive_requests();
  void serve(const protocol::Frame& frame);
  /// `error` is empty: it has answered already.
  protocol::ForkReply fork_session(std::uint64_t fork_id, const protocol::ForkRequest& request,
                                   const SessionFds& fds);
  /// Nothing: the one to join has ended.
  Expected<std::optional<Cage>> find_cage(const protocol::ForkRequest& request);
  void reply(std::uint64_t fork_id, const protocol::ForkReply& reply,
             std::span<const int> descriptors);
  void report_exits();
  void send(protocol::FrameType type, std::uint64_t id, const std::string& body,
            std::span<const int> descriptors = {});
  [[noreturn]] void end_everything();

  int control_fd_;
  const ZygoteFacts& facts_;
  CageBuilder& cages_;
  python::Runtime& runtime_;
  base::UniqueFd child_signals_;
  Reaper reaper_;
  protocol::FrameParser parser_;
  std::vector<base::UniqueFd> received_;
};

}  // namespace cellblock::zygote

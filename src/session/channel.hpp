// The session's end of its channel to the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

#include "protocol/frame.hpp"
#include "python/display_sink.hpp"

namespace cellblock::session {

/// Writes are thread-safe and whole; reads are the main thread's alone. Belongs to the process that
/// made it: in a process that user code forked from it nothing is written. Neither owns nor closes
/// the descriptor.
class Channel final : public python::DisplaySink {
 public:
  explicit Channel(int fd);

  /// Blocks without the GIL until a whole frame is there; signals that arrive meanwhile get their
  /// Python handlers. Nothing: the host is gone, or sent what is no frame. GIL held on entry.
  std::optional<protocol::Frame> receive();

  /// Blocks until the kernel has all of it. Never waits for the GIL: safe with or without it, but
  /// whoever holds it stops the session's other threads. False: the host is gone.
  bool send(protocol::FrameType type, std::uint64_t id, std::string_view body,
            std::span<const std::string_view> attachments = {});

  /// The request that is being served; 0: none. From any thread.
  void set_busy(std::uint64_t id) { busy_ = id; }
  [[nodiscard]] std::uint64_t busy() const { return busy_; }

  /// Display events carry this id until it is set anew.
  void set_current_execution(std::uint64_t id) { current_execution_ = id; }
  bool send_display(std::string_view body, std::span<const std::string_view> attachments) override;

  /// Whether this process is the session itself, not a child that its code forked.
  [[nodiscard]] bool belongs_to_this_process() const;

 private:
  int fd_;
  int owner_;
  std::atomic<std::uint64_t> current_execution_ = 0;
  std::atomic<std::uint64_t> busy_ = 0;
  std::mutex write_mutex_;
  protocol::FrameParser parser_;
};

}  // namespace cellblock::session

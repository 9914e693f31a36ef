// What a caller is told while its code runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "cellblock/session.hpp"
#include "mcp/live_call.hpp"
#include "rpc/json_text.hpp"

namespace cellblock::mcp {

/// Gathers what an execution says and tells it as notifications/progress: `progress` grows with
/// every byte of output, `message` is the newest of it (terminal controls shown, not kept).
/// Thread-safe.
class Progress final {
 public:
  /// `token` is the caller's, as it came.
  explicit Progress(rpc::Json token) : token_(std::move(token)) {}

  /// Callbacks that keep `progress` alive; they never block.
  static RunCallbacks callbacks(const std::shared_ptr<Progress>& progress);

  /// Tells what has gathered since the last time, if anything. May block as Reply::notify does.
  void tell(LiveCall& call);

 private:
  void add(std::string_view text, std::uint64_t amount);

  const rpc::Json token_;
  std::mutex mutex_;
  std::string pending_;
  std::uint64_t amount_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace cellblock::mcp

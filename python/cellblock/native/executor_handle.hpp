// An executor as Python holds it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "cellblock/executor.hpp"
#include "session_handle.hpp"

namespace cellblock::sdk {

/// Thread-safe.
class ExecutorHandle final {
 public:
  static std::shared_ptr<ExecutorHandle> create(ExecutorKind kind, ExecutorOptions options);
  ~ExecutorHandle();
  ExecutorHandle(const ExecutorHandle&) = delete;
  ExecutorHandle& operator=(const ExecutorHandle&) = delete;

  std::shared_ptr<SessionHandle> open_session(SecurityPolicy policy);
  EngineInfo info(SecurityPolicy policy);
  [[nodiscard]] bool closed() const;
  /// Without the GIL. Closes its sessions and waits for the end of their processes, unless a call
  /// on one of them is still on its way. Nothing in a forked child.
  void close();
  /// Closes every executor of this process, and takes no more calls.
  static void close_all(std::chrono::milliseconds limit);

 private:
  explicit ExecutorHandle(std::shared_ptr<Executor> executor);

  [[nodiscard]] std::shared_ptr<Executor> executor() const;
  void remember(const std::shared_ptr<SessionHandle>& session);

  const std::uint64_t process_ = process_number();
  mutable std::mutex mutex_;
  std::shared_ptr<Executor> executor_;
  std::vector<std::weak_ptr<SessionHandle>> sessions_;
};

}  // namespace cellblock::sdk

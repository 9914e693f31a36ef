// The executors behind the sessions: one for each Python that sessions ask for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cellblock/executor.hpp"
#include "rpc/rpc_error.hpp"

namespace cellblock::rpc {

/// Thread-safe.
class Executors final {
 public:
  /// `options` but for the Python hold for all of them.
  explicit Executors(ExecutorOptions options) : options_(std::move(options)) {}

  /// The executor of that Python, made at its first use; empty: the one of the options. It lives as
  /// long as this object.
  Expected<Executor*, RpcError> get(const std::string& python = {});

 private:
  ExecutorOptions options_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Executor>> executors_;
};

}  // namespace cellblock::rpc

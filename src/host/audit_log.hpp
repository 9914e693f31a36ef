// One JSON line for each execution, through spdlog, in a rotated file.
#pragma once

#include <memory>
#include <string>

#include "cellblock/executor.hpp"
#include "cellblock/result.hpp"

namespace spdlog {
class logger;
}

namespace cellblock::host {

/// Thread-safe. A line holds: time, session_id, execution_id, code_sha256, status, cause,
/// exit_code, wall_ms, cpu_ms, code_bytes, stdout_bytes, stderr_bytes, result_count, state,
/// policy_events, request_id, tenant, traceparent (as far as given), and the code when asked for.
/// Text from the session or the caller stands in JSON strings, ASCII only: it can forge no line.
class AuditLog final {
 public:
  /// Mode 0600; rotated at 16 MiB, five files. Error kind: bad_argument (it cannot be written).
  static Expected<std::unique_ptr<AuditLog>> open(const std::string& path, LogCode log_code);

  void write(const ExecutionResult& result, const std::string& code, Bytes stdout_bytes,
             Bytes stderr_bytes);

 private:
  AuditLog(std::shared_ptr<spdlog::logger> logger, LogCode log_code)
      : logger_(std::move(logger)), log_code_(log_code) {}

  std::shared_ptr<spdlog::logger> logger_;
  LogCode log_code_;
};

}  // namespace cellblock::host

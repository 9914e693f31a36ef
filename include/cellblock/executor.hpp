// Where sessions run.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/expected.hpp"
#include "cellblock/policy.hpp"
#include "cellblock/result.hpp"
#include "cellblock/session.hpp"

namespace cellblock {

namespace host {
class ForkExecutor;
}

enum class ExecutorKind { fork, subprocess, in_process, container, remote };

/// Whether the code itself stands in the audit log, or only its hash.
enum class LogCode { no, yes };

struct ExecutorOptions {
  /// An interpreter of the zygote's minor version: its packages are used. Empty: the system's.
  std::string python;
  /// Imported and warmed once; a package that is not installed is left out and told.
  std::vector<std::string> preload = {"numpy", "pandas", "matplotlib"};
  /// A Python file of the operator's own: its public functions are in every session from the start,
  /// beside load_csv, describe and the others of EngineInfo::helpers. Empty: none.
  std::string helpers;
  std::size_t max_sessions = 256;
  /// Where every execution is logged, a JSON object a line; empty: nowhere.
  std::string audit_log;
  LogCode log_code = LogCode::no;
  /// The zygote's program; empty: found beside the running program, else where it was installed.
  std::string zygote_path;
};

struct EngineInfo {
  std::string version;
  std::string executor;
  std::string python_version;
  std::string python_executable;
  std::map<std::string, std::string> preloaded;  ///< package: version
  std::map<std::string, std::string> missing;    ///< package: why it was left out
  /// What every session starts with, for the description of a tool.
  std::vector<Helper> helpers;
  double zygote_start_ms = 0;

  [[nodiscard]] std::string to_json() const;
};

struct Capabilities {
  std::vector<std::string> unsupported;  ///< names of Session's calls
};

/// Thread-safe.
class Executor final {
 public:
  /// Starts what the kind needs; does not wait until it is ready: the first use does.
  /// Error kinds: unsupported (the kind), bad_argument, host_error.
  static Expected<std::unique_ptr<Executor>> create(ExecutorKind kind,
                                                    ExecutorOptions options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Blocks until the session is ready. Error kinds: policy_invalid, busy_limit,
  /// isolation_unavailable, host_error (the zygote cannot start: says why).
  Expected<Session> open_session(const SecurityPolicy& policy = {});
  /// One-shot: a session of its own for one cell.
  [[nodiscard]] ExecutionResult run(std::string_view code, const SecurityPolicy& policy = {},
                                    const RunOptions& options = {});
  /// Blocks until the zygote is ready.
  Expected<EngineInfo> info();
  [[nodiscard]] Capabilities capabilities() const;

 private:
  explicit Executor(std::shared_ptr<host::ForkExecutor> executor);

  std::shared_ptr<host::ForkExecutor> executor_;
};

}  // namespace cellblock

// What every command needs to run code: flags, a policy, an executor.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "cellblock/executor.hpp"

namespace cellblock::cli {

struct EngineFlags {
  std::string python;
  std::string helpers;                 ///< a Python file of the operator's own
  std::optional<std::string> preload;  ///< names with commas between them; nothing: the default
  std::string policy_file;
  std::string audit_log;
  bool no_audit_log = false;
  bool log_code = false;
  std::size_t max_sessions = 256;
};

/// Whether executions are logged when no flag says so.
enum class AuditDefault { nowhere, state_folder };

void add_engine_flags(CLI::App& command, EngineFlags& flags, AuditDefault audit_default);
/// Those of a server.
void add_session_flags(CLI::App& command, EngineFlags& flags);

/// The errors are for the user: one sentence each.
Expected<ExecutorOptions> executor_options(const EngineFlags& flags, AuditDefault audit_default);
/// The policy of the file; the default one when there is none.
Expected<SecurityPolicy> read_policy(const std::string& file);
/// Waits until the executor is ready and says whether it has what the flags ask for by name.
Expected<EngineInfo> check_engine(Executor& executor, const EngineFlags& flags);

struct Engine {
  std::unique_ptr<Executor> executor;
  SecurityPolicy policy;
};
Expected<Engine> start_engine(const EngineFlags& flags, AuditDefault audit_default);

}  // namespace cellblock::cli

#include "policy/sandbox_plan.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace cellblock::policy {

namespace {

/// The main thread is one too. The cage's init, where it is counted, comes on top.
std::optional<std::uint64_t> tasks_of(const SecurityPolicy& policy) {
  if (!policy.max_threads || !policy.max_processes) return std::nullopt;
  return std::uint64_t{1} + *policy.max_threads + *policy.max_processes;
}

/// Half the grace at most, so that a cell which ends at its deadline is not killed for the wait.
std::uint64_t time_to_end_threads(const SecurityPolicy& policy) {
  constexpr std::uint64_t kMost = 500;
  if (policy.background == BackgroundThreads::keep) return 0;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(policy.grace.count()) / 2, 1, kMost);
}

}  // namespace

protocol::ForkRequest make_fork_request(const SecurityPolicy& policy, std::string folder) {
  const protocol::SessionConfig config{
      .env = policy.env,
      .allowed_imports = policy.allowed_imports,
      .import_guard = policy.import_guard == ImportGuard::on ? "on" : "off",
      .interpreter = policy.interpreter == Interpreter::sub ? "sub" : "main",
      .max_text_bytes = policy.max_text_bytes,
      .max_result_bytes = policy.max_result_bytes,
      .end_threads_ms = time_to_end_threads(policy),
      .notes_imports = policy.on_restart == OnRestart::reimport};
  return {.mode = protocol::ForkMode::cage,
          .limits = {.data_bytes = policy.max_memory_bytes,
                     .open_files = policy.max_open_files,
                     .file_bytes = policy.max_file_bytes,
                     .processes = policy.max_processes,
                     .tasks = tasks_of(policy)},
          .workspace = {.folder = std::move(folder),
                        .bytes = policy.workspace_bytes,
                        .files = policy.workspace_files},
          .read_paths = policy.read_paths,
          .config = config.encode()};
}

}  // namespace cellblock::policy

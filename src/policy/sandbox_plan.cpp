#include "policy/sandbox_plan.hpp"

#include <utility>

namespace cellblock::policy {

protocol::ForkRequest make_fork_request(const SecurityPolicy& policy, std::string workspace) {
  const protocol::SessionConfig config{
      .workspace = std::move(workspace),
      .env = policy.env,
      .allowed_imports = policy.allowed_imports,
      .import_guard = policy.import_guard == ImportGuard::on ? "on" : "off",
      .interpreter = policy.interpreter == Interpreter::sub ? "sub" : "main",
      .max_text_bytes = policy.max_text_bytes,
      .max_result_bytes = policy.max_result_bytes};
  return {.mode = protocol::ForkMode::cage,
          .limits = {.data_bytes = policy.max_memory_bytes,
                     .open_files = policy.max_open_files,
                     .file_bytes = policy.max_file_bytes},
          .config = config.encode()};
}

}  // namespace cellblock::policy

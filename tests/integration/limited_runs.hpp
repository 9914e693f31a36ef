// Sessions for the tests of limits.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "support/sessions.hpp"

namespace cellblock::test {

/// Without the guidance for models: what holds, the kernel and the host hold.
inline SecurityPolicy bare_policy() {
  SecurityPolicy policy;
  policy.import_guard = ImportGuard::off;
  policy.grace = 400ms;
  return policy;
}

inline ExecutionResult run_in(Session& session, const std::string& code,
                              std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
  RunOptions options;
  options.timeout = timeout;
  return session.run(code, options);
}

}  // namespace cellblock::test

#include "mcp/engine.hpp"

#include <utility>

namespace cellblock::mcp {

Engine::Engine(std::unique_ptr<Executor> executor, ServerOptions options)
    : options_(std::move(options)),
      executor_(std::move(executor)),
      sessions_(*executor_, options_.policy, options_.unnamed_session) {}

Expected<tool::Facts> Engine::facts() {
  const std::lock_guard lock(mutex_);
  if (!facts_) {
    auto info = executor_->info(options_.policy);
    if (!info) return std::move(info).error();
    facts_ = tool::Facts{.engine = std::move(*info),
                         .policy = options_.policy,
                         .unnamed_session = options_.unnamed_session,
                         .has_companions = true};
  }
  return *facts_;
}

}  // namespace cellblock::mcp

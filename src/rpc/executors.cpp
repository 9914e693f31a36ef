#include "rpc/executors.hpp"

#include <utility>

namespace cellblock::rpc {

Expected<Executor*, RpcError> Executors::get(const std::string& python) {
  const std::string& wanted = python.empty() ? options_.python : python;
  const std::lock_guard lock(mutex_);
  if (const auto found = executors_.find(wanted); found != executors_.end()) {
    return found->second.get();
  }
  ExecutorOptions options = options_;
  options.python = wanted;
  auto made = Executor::create(ExecutorKind::fork, std::move(options));
  if (!made) return server_error(std::move(made).error());
  return executors_.emplace(wanted, std::move(*made)).first->second.get();
}

}  // namespace cellblock::rpc

#include "executor_handle.hpp"

#include <algorithm>
#include <utility>

namespace cellblock::sdk {
namespace {

/// Those of this process; only touched with the GIL.
std::vector<std::weak_ptr<ExecutorHandle>>& all() {
  static auto* executors = new std::vector<std::weak_ptr<ExecutorHandle>>;
  return *executors;
}

template <class T>
void forget_expired(std::vector<std::weak_ptr<T>>& list) {
  list.erase(
      std::remove_if(list.begin(), list.end(), [](const auto& entry) { return entry.expired(); }),
      list.end());
}

}  // namespace

std::shared_ptr<ExecutorHandle> ExecutorHandle::create(ExecutorKind kind, ExecutorOptions options) {
  auto created = value_or_raise(interruptible(
      [kind, options = std::move(options)] { return Executor::create(kind, options); }));
  auto executor =
      std::shared_ptr<Executor>(created.release(), [number = process_number()](Executor* owned) {
        if (number == process_number()) delete owned;
      });
  auto handle = std::shared_ptr<ExecutorHandle>(new ExecutorHandle(std::move(executor)));
  forget_expired(all());
  all().push_back(handle);
  return handle;
}

ExecutorHandle::ExecutorHandle(std::shared_ptr<Executor> executor)
    : executor_(std::move(executor)) {}

ExecutorHandle::~ExecutorHandle() {
  if (process_ != process_number()) return;
  const pybind11::gil_scoped_release released;
  // Sessions keep what they need: they live on.
  executor_.reset();
}

std::shared_ptr<Executor> ExecutorHandle::executor() const {
  require_own_process(process_);
  const std::lock_guard lock(mutex_);
  if (!executor_) raise(ErrorKind::bad_argument, "The executor is closed: make another one.");
  return executor_;
}

std::shared_ptr<SessionHandle> ExecutorHandle::open_session(SecurityPolicy policy) {
  auto opened = value_or_raise(interruptible([executor = executor(), policy = std::move(policy)] {
    return executor->open_session(policy);
  }));
  auto session = std::make_shared<SessionHandle>(std::move(opened));
  remember(session);
  return session;
}

/// Closed at once where the executor was closed meanwhile.
void ExecutorHandle::remember(const std::shared_ptr<SessionHandle>& session) {
  const bool too_late = without_gil([&] {
    const std::lock_guard lock(mutex_);
    forget_expired(sessions_);
    sessions_.push_back(session);
    return !executor_;
  });
  if (too_late) without_gil([&] { session->close(); });
}

EngineInfo ExecutorHandle::info(SecurityPolicy policy) {
  return value_or_raise(interruptible(
      [executor = executor(), policy = std::move(policy)] { return executor->info(policy); }));
}

bool ExecutorHandle::closed() const {
  if (process_ != process_number()) return true;
  const std::lock_guard lock(mutex_);
  return !executor_;
}

void ExecutorHandle::close() {
  if (process_ != process_number()) return;
  std::shared_ptr<Executor> executor;
  std::vector<std::weak_ptr<SessionHandle>> sessions;
  {
    const std::lock_guard lock(mutex_);
    executor = std::move(executor_);
    sessions = std::exchange(sessions_, {});
  }
  for (const auto& entry : sessions) {
    if (const auto session = entry.lock()) session->close();
  }
}

void ExecutorHandle::close_all(std::chrono::milliseconds limit) {
  std::vector<std::shared_ptr<ExecutorHandle>> executors;
  for (const auto& entry : all()) {
    if (auto executor = entry.lock(); executor && executor->process_ == process_number()) {
      executors.push_back(std::move(executor));
    }
  }
  {
    const pybind11::gil_scoped_release released;
    for (const auto& executor : executors) executor->close();
  }
  CallCount::end_all(limit);
}

}  // namespace cellblock::sdk

#include "host/fork_executor.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/random_id.hpp"
#include "cellblock/version.hpp"
#include "host/isolation.hpp"
#include "host/program_paths.hpp"
#include "policy/import_rules.hpp"
#include "policy/policy_fields.hpp"

namespace cellblock::host {
namespace {

/// Those of the layers that a zygote sets up for all its sessions.
std::vector<std::string> zygote_layers(const std::vector<std::string>& layers) {
  std::vector<std::string> chosen;
  for (const char* name : {"pid_namespace", "mounts", "ids", "network"}) {
    if (std::find(layers.begin(), layers.end(), name) != layers.end()) chosen.emplace_back(name);
  }
  return chosen;
}

}  // namespace

Expected<std::shared_ptr<ForkExecutor>> ForkExecutor::create(ExecutorOptions options,
                                                             SourceKind kind) {
  if (kind.isolates && options.zygote_path.empty()) {
    auto found = find_zygote_program();
    if (!found) return std::move(found).error();
    options.zygote_path = *std::move(found);
  }
  if (!options.python.empty() && ::access(options.python.c_str(), X_OK) != 0) {
    return Error{ErrorKind::bad_argument,
                 "There is no Python at " + options.python + ": name an interpreter that exists."};
  }
  std::unique_ptr<AuditLog> audit_log;
  if (!options.audit_log.empty()) {
    auto opened = AuditLog::open(options.audit_log, options.log_code);
    if (!opened) return std::move(opened).error();
    audit_log = *std::move(opened);
  }
  auto folder = RuntimeFolder::create();
  if (!folder) return std::move(folder).error();
  auto executor = std::shared_ptr<ForkExecutor>(new ForkExecutor(
      std::move(options), std::move(kind), *std::move(folder), std::move(audit_log)));
  if (auto source = executor->source(); !source) return std::move(source).error();
  return executor;
}

ForkExecutor::ForkExecutor(ExecutorOptions options, SourceKind kind, RuntimeFolder folder,
                           std::unique_ptr<AuditLog> audit_log)
    : options_(std::move(options)),
      kind_(std::move(kind)),
      folder_(std::move(folder)),
      audit_log_(std::move(audit_log)),
      cgroups_(CgroupView::of_this_process(), folder_.name()),
      expiry_clock_([this](Clock::time_point now) { return expire_sessions(now); }) {}

ForkExecutor::~ForkExecutor() {
  std::vector<std::shared_ptr<ForkSession>> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, session] : sessions_) sessions.push_back(session);
  }
  for (const auto& session : sessions) session->close();
  sessions.clear();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return sessions_.empty() && drivers_ == 0; });
  lock.unlock();
  const std::lock_guard source_lock(source_mutex_);
  source_.reset();
}

Expected<std::shared_ptr<SessionSource>> ForkExecutor::source() {
  const std::lock_guard lock(source_mutex_);
  if (source_ && source_->usable()) return source_;
  // Its destructor waits for the process to end.
  if (source_) reaper_.later([old = std::exchange(source_, nullptr)]() mutable { old.reset(); });
  auto started = kind_.start({.options = options_,
                              .runtime_folder = folder_.path(),
                              .without = zygote_layers(switched_off())},
                             supervisor_);
  if (!started) return std::move(started).error();
  source_ = *std::move(started);
  return source_;
}

Expected<std::shared_ptr<ForkSession>> ForkExecutor::open_session(const SecurityPolicy& policy,
                                                                  protocol::ForkMode mode) {
  if (auto checked = policy::check(policy); !checked) return std::move(checked).error();
  if (!kind_.isolates && policy.isolation == Isolation::required) {
    return Error{ErrorKind::isolation_unavailable,
                 "In-process sessions share the host's process and are not isolated: set isolation "
                 "to \"none\", or use the fork executor."};
  }
  if (auto place = reserve_place(); !place) return std::move(place).error();
  auto workspace = make_workspace(policy);
  if (!workspace) {
    give_up_place();
    return std::move(workspace).error();
  }
  return admit(std::make_shared<ForkSession>(
      *this, std::make_shared<SessionCage>(cgroups_, policy, mode, *std::move(workspace))));
}

Expected<std::shared_ptr<ForkSession>> ForkExecutor::open_context(const ForkSession& other) {
  if (auto over = other.ended()) return *std::move(over);
  if (auto place = reserve_place(); !place) return std::move(place).error();
  if (!other.cage()->attach()) {
    give_up_place();
    return other.ended().value_or(
        Error{ErrorKind::unknown_session, "The session was closed; open a new one."});
  }
  return admit(std::make_shared<ForkSession>(*this, other.cage()));
}

Expected<void> ForkExecutor::reserve_place() {
  std::unique_lock lock(mutex_);
  if (!has_room(lock)) {
    return Error{ErrorKind::busy_limit,
                 "All " + std::to_string(options_.max_sessions) +
                     " sessions are in use: close one or raise max_sessions."};
  }
  ++opening_;
  return {};
}

void ForkExecutor::give_up_place() {
  const std::lock_guard lock(mutex_);
  --opening_;
  changed_.notify_all();
}

/// With a place reserved, which becomes its own.
Expected<std::shared_ptr<ForkSession>> ForkExecutor::admit(std::shared_ptr<ForkSession> session) {
  {
    const std::lock_guard lock(mutex_);
    --opening_;
    sessions_.emplace(session->id(), session);
  }
  if (auto opened = session->open(); !opened) {
    session->close();
    return std::move(opened).error();
  }
  const SecurityPolicy& policy = session->policy();
  if (auto held = check_isolation(session->isolation(), policy.isolation); !held) {
    session->close();
    return std::move(held).error();
  }
  expiry_clock_.look_at(Clock::now() + std::min(policy.session_ttl, policy.idle_ttl));
  return session;
}

Clock::time_point ForkExecutor::expire_sessions(Clock::time_point now) {
  std::vector<std::shared_ptr<ForkSession>> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, session] : sessions_) sessions.push_back(session);
  }
  auto next = Clock::time_point::max();
  for (const auto& session : sessions) next = std::min(next, session->expire(now));
  return next;
}

/// Nothing: it comes in memory with the session's process.
Expected<std::optional<Workspace>> ForkExecutor::make_workspace(const SecurityPolicy& policy) {
  auto current = source();
  if (!current) return std::move(current).error();
  auto ready = (*current)->wait_ready();
  if (!ready) return std::move(ready).error();
  if (!policy.workspace_dir && ready->mounts) return std::optional<Workspace>();
  auto workspace = policy.workspace_dir
                       ? Workspace::open(*policy.workspace_dir, policy,
                                         ready->mounts ? Workspace::SeenAs::cage_workspace
                                                       : Workspace::SeenAs::itself)
                       : Workspace::create(folder_.path() + "/" + base::random_id("w-"), policy);
  if (!workspace) return std::move(workspace).error();
  return std::optional(*std::move(workspace));
}

/// A session that was closed keeps its place until its processes have ended, which is soon.
bool ForkExecutor::has_room(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::seconds kLongestWait{10};
  const auto room = [this] { return sessions_.size() + opening_ < options_.max_sessions; };
  changed_.wait_for(lock, kLongestWait, [&] {
    return room() || std::none_of(sessions_.begin(), sessions_.end(),
                                  [](const auto& entry) { return entry.second->closing(); });
  });
  return room();
}

void ForkExecutor::switch_off(std::vector<std::string> layers) {
  const bool another_zygote = zygote_layers(layers) != zygote_layers(switched_off());
  {
    const std::lock_guard lock(mutex_);
    switched_off_ = std::move(layers);
  }
  const std::lock_guard source_lock(source_mutex_);
  if (!another_zygote || !source_) return;
  reaper_.later([old = std::exchange(source_, nullptr)]() mutable { old.reset(); });
}

void ForkExecutor::fail_at(std::string layer) {
  const std::lock_guard lock(mutex_);
  failing_step_ = std::move(layer);
}

std::string ForkExecutor::failing_step() const {
  const std::lock_guard lock(mutex_);
  return failing_step_;
}

std::vector<std::string> ForkExecutor::switched_off() const {
  const std::lock_guard lock(mutex_);
  return switched_off_;
}

IsolationReport ForkExecutor::judge(std::vector<Layer> layers, const SessionCgroup* cgroup,
                                    pid_t process) const {
  if (!kind_.isolates) return {.level = "none", .layers = std::move(layers)};
  // A plain fork is not asked for any.
  if (layers.size() > 1) layers.push_back(cgroups_.layer(cgroup, process));
  return judge_isolation(std::move(layers));
}

void ForkExecutor::run_driver(std::function<void()> drive) {
  {
    const std::lock_guard lock(mutex_);
    ++drivers_;
  }
  std::thread([this, drive = std::move(drive)]() mutable {
    drive();
    drive = nullptr;
    const std::lock_guard lock(mutex_);
    --drivers_;
    changed_.notify_all();
  }).detach();
}

void ForkExecutor::audit(Execution& execution, const ExecutionResult& result) {
  policy_events_.add(result.policy_events);
  if (!audit_log_) return;
  audit_log_->write(result, execution.code(), execution.out().total_bytes(),
                    execution.err().total_bytes());
}

void ForkExecutor::retire(const ForkSession& session, std::shared_ptr<const Workspace> workspace) {
  // The object may be the last owner's; it must not die under its own caller.
  reaper_.later([kept = std::move(workspace)]() mutable { kept.reset(); });
  const std::lock_guard lock(mutex_);
  if (const auto found = sessions_.find(session.id()); found != sessions_.end()) {
    reaper_.later([owner = std::move(found->second)]() mutable { owner.reset(); });
    sessions_.erase(found);
  }
  changed_.notify_all();
}

Expected<EngineInfo> ForkExecutor::info(const SecurityPolicy& policy) {
  auto current = source();
  if (!current) return std::move(current).error();
  auto ready = (*current)->wait_ready();
  if (!ready) return std::move(ready).error();
  return EngineInfo{
      .version = std::string(version()),
      .executor = kind_.executor,
      .python_version = ready->python_version,
      .python_executable = ready->python_executable,
      .preloaded = ready->loaded,
      .missing = ready->missing,
      .helpers = ready->helpers,
      .allowed_imports = policy::allowed_and_installed(policy.allowed_imports, ready->installed),
      .policy_events = policy_events_.all(),
      .zygote_start_ms = (*current)->start_ms(),
      .parked_threads = (*current)->parked_threads()};
}

}  // namespace cellblock::host

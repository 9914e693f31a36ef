#include "host/session_cage.hpp"

#include <atomic>
#include <utility>

namespace cellblock::host {
namespace {

/// Never the same twice in this process.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

SessionCage::SessionCage(CgroupPool& cgroups, SecurityPolicy policy, protocol::ForkMode mode,
                         std::optional<Workspace> workspace)
    : cgroups_(cgroups),
      policy_(std::move(policy)),
      mode_(mode),
      workspace_in_memory_(!workspace && mode == protocol::ForkMode::cage),
      workspace_(policy_, std::move(workspace)) {}

bool SessionCage::attach() {
  const std::lock_guard lock(mutex_);
  if (sessions_ == 0) return false;
  ++sessions_;
  return true;
}

std::shared_ptr<const Workspace> SessionCage::detach() {
  {
    const std::lock_guard lock(mutex_);
    if (--sessions_ > 0) return nullptr;
  }
  return workspace_.give_up();
}

Expected<std::optional<SessionCage::Entry>> SessionCage::enter(
    const std::function<Expected<std::shared_ptr<SessionSource>>()>& source,
    std::function<void()> again) {
  const std::lock_guard lock(mutex_);
  if (!live_) {
    auto living = source();
    if (!living) return std::move(living).error();
    live_ = std::make_shared<LiveCage>(LiveCage{.number = next_number(), .source = *living});
    phase_ = Phase::founding;
    processes_ = 1;
    return std::optional(Entry{.cage = live_, .source = *std::move(living), .founds = true});
  }
  auto its_own = live_->source.lock();
  // A source that has died takes the cage with it: each process in it is about to be told.
  if (phase_ != Phase::open || !its_own || !its_own->usable()) {
    waiting_.push_back(std::move(again));
    return std::optional<Entry>();
  }
  ++processes_;
  if (live_->cgroup) live_->cgroup->set_shared();
  return std::optional(Entry{.cage = live_, .source = std::move(its_own)});
}

Expected<void> SessionCage::settle_in(const std::shared_ptr<LiveCage>& cage,
                                      base::UniqueFd folder) {
  return workspace_.move_to(std::move(folder), [&] {
    const std::lock_guard lock(mutex_);
    return live_ == cage;
  });
}

void SessionCage::opened(const std::shared_ptr<LiveCage>& cage) {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (live_ != cage || phase_ != Phase::founding) return;
    phase_ = Phase::open;
    waiting.swap(waiting_);
  }
  for (const auto& again : waiting) again();
}

void SessionCage::close(const std::shared_ptr<LiveCage>& cage) {
  const std::lock_guard lock(mutex_);
  if (live_ == cage) phase_ = Phase::closing;
}

void SessionCage::leave(const std::shared_ptr<LiveCage>& cage) {
  if (!cage) return;
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (--processes_ > 0) return;
    live_.reset();
    waiting.swap(waiting_);
  }
  cgroups_.give_back(cage->cgroup);
  for (const auto& again : waiting) again();
}

}  // namespace cellblock::host

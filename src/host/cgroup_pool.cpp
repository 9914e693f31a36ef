#include "host/cgroup_pool.hpp"

#include <utility>

namespace cellblock::host {
namespace {

constexpr std::size_t kSpares = 4;
// A process that was killed may take this long to end, on a busy machine.
constexpr std::chrono::seconds kTimeToEnd{5};
constexpr std::chrono::milliseconds kRetry{10};

}  // namespace

CgroupPool::CgroupPool(const CgroupView& view, const std::string& name) {
  auto tree = CgroupTree::create(view, name);
  if (!tree) {
    detail_ = tree.error().message;
    return;
  }
  tree_ = *std::move(tree);
  detail_ = tree_->description();
  sweep_until_ = Clock::now() + kTimeToEnd;
  thread_ = std::thread([this] { loop(); });
}

CgroupPool::~CgroupPool() {
  if (!tree_) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake();
  }
  thread_.join();
}

Expected<std::shared_ptr<SessionCgroup>> CgroupPool::take(const CgroupLimits& limits) {
  if (!tree_) return std::shared_ptr<SessionCgroup>();
  std::shared_ptr<SessionCgroup> group;
  {
    const std::lock_guard lock(mutex_);
    if (!spares_.empty()) {
      group = std::move(spares_.back());
      spares_.pop_back();
    }
    wake();
  }
  if (!group) {
    auto made = tree_->make();
    if (!made) return std::move(made).error();
    group = *std::move(made);
  }
  if (auto prepared = group->prepare(limits); !prepared) {
    give_back(std::move(group));
    return std::move(prepared).error();
  }
  return group;
}

void CgroupPool::give_back(std::shared_ptr<SessionCgroup> group) {
  if (!group) return;
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back({.group = std::move(group), .deadline = Clock::now() + kTimeToEnd});
    wake();
  }
}

Layer CgroupPool::layer(const SessionCgroup* group, pid_t process) const {
  Layer layer{.name = "cgroup", .on = false, .detail = detail_};
  if (!tree_) return layer;
  if (group == nullptr) {
    layer.detail = "not asked for";
  } else if (group->holds(process)) {
    layer.on = true;
  } else {
    layer.detail = "the session's process is not in its group " + group->name();
  }
  const std::lock_guard lock(mutex_);
  if (stuck_ > 0) {
    layer.detail += "; " + std::to_string(stuck_) +
                    " groups of ended sessions cannot be removed, since processes live in them";
  }
  return layer;
}

/// Under the lock.
void CgroupPool::wake() {
  woken_ = true;
  changed_.notify_one();
}

void CgroupPool::loop() {
  std::unique_lock lock(mutex_);
  bool sweeping = true;
  while (!stopping_ || !ended_.empty()) {
    woken_ = false;
    const bool all_removed = remove_ended(lock);
    if (sweeping) sweeping = !remove_abandoned(lock);
    make_spares(lock);
    // The end may have been told before these groups were removed: nobody wakes for it again.
    const auto woken = [this] { return woken_ || (stopping_ && ended_.empty()); };
    if (all_removed && !sweeping) {
      changed_.wait(lock, woken);
    } else {
      changed_.wait_for(lock, kRetry, woken);
    }
  }
  for (const auto& spare : spares_) static_cast<void>(spare->remove());
  spares_.clear();
}

bool CgroupPool::remove_ended(std::unique_lock<std::mutex>& lock) {
  auto ended = std::exchange(ended_, {});
  lock.unlock();
  std::deque<Ended> left;
  std::size_t given_up = 0;
  for (Ended& entry : ended) {
    if (entry.group->remove() == 0) continue;
    if (Clock::now() < entry.deadline) {
      left.push_back(std::move(entry));
    } else {
      ++given_up;
    }
  }
  ended.clear();
  lock.lock();
  stuck_ += given_up;
  const bool all_removed = left.empty();
  ended_.insert(ended_.end(), left.begin(), left.end());
  return all_removed;
}

bool CgroupPool::remove_abandoned(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  // What still lives in a dead executor's groups is on its way to end; if not, the next one looks.
  const bool done = tree_->remove_abandoned() || Clock::now() > sweep_until_;
  lock.lock();
  return done;
}

void CgroupPool::make_spares(std::unique_lock<std::mutex>& lock) {
  while (!stopping_ && spares_.size() < kSpares) {
    lock.unlock();
    auto made = tree_->make();
    lock.lock();
    if (!made) return;  // take() tries itself, and says why it cannot
    spares_.push_back(*std::move(made));
  }
}

}  // namespace cellblock::host

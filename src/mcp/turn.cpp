#include "mcp/turn.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

namespace cellblock::mcp {

struct Turn::Row {
  std::mutex mutex;
  std::condition_variable left;
  std::uint64_t next = 0;
  std::map<std::uint64_t, Left> there;

  [[nodiscard]] bool has_before(std::uint64_t number) const {
    return !there.empty() && there.begin()->first < number;
  }
};

Turn::Turn(std::shared_ptr<Row> row, std::uint64_t number)
    : row_(std::move(row)), number_(number) {}

Turn::Left Turn::leave() {
  const std::lock_guard lock(row_->mutex);
  const auto place = row_->there.find(number_);
  if (place != row_->there.end()) {
    how_ = place->second;
    row_->there.erase(place);
    row_->left.notify_all();
  }
  return how_;
}

bool Turn::is_next() const {
  const std::lock_guard lock(row_->mutex);
  return !row_->has_before(number_);
}

void Turn::wait() const {
  std::unique_lock lock(row_->mutex);
  row_->left.wait(lock, [this] { return !row_->has_before(number_); });
}

Turns::Turns() : row_(std::make_shared<Turn::Row>()) {}

std::shared_ptr<Turn> Turns::take() {
  const std::lock_guard lock(row_->mutex);
  const std::uint64_t number = row_->next++;
  row_->there.emplace(number, Turn::Left::undisturbed);
  return std::shared_ptr<Turn>(new Turn(row_, number));
}

bool Turns::interrupt_first() {
  const std::lock_guard lock(row_->mutex);
  if (row_->there.empty()) return false;
  row_->there.begin()->second = Turn::Left::interrupted;
  return true;
}

}  // namespace cellblock::mcp

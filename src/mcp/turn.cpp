#include "mcp/turn.hpp"

#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

namespace cellblock::mcp {

struct Turn::Row {
  std::mutex mutex;
  std::condition_variable left;
  std::uint64_t next = 0;
  std::set<std::uint64_t> there;
};

Turn::Turn(std::shared_ptr<Row> row, std::uint64_t number)
    : row_(std::move(row)), number_(number) {}

Turn::~Turn() {
  const std::lock_guard lock(row_->mutex);
  row_->there.erase(number_);
  row_->left.notify_all();
}

bool Turn::is_next() const {
  const std::lock_guard lock(row_->mutex);
  return *row_->there.begin() == number_;
}

void Turn::wait() const {
  std::unique_lock lock(row_->mutex);
  row_->left.wait(lock, [this] { return *row_->there.begin() == number_; });
}

Turns::Turns() : row_(std::make_shared<Turn::Row>()) {}

std::unique_ptr<Turn> Turns::take() {
  const std::lock_guard lock(row_->mutex);
  const std::uint64_t number = row_->next++;
  row_->there.insert(number);
  return std::unique_ptr<Turn>(new Turn(row_, number));
}

}  // namespace cellblock::mcp

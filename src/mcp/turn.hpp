// A row of those who do something one after the other.
#pragma once

#include <cstdint>
#include <memory>

namespace cellblock::mcp {

/// A place in a row. Thread-safe but for its end.
class Turn final {
 public:
  /// Leaves the row, also from the middle of it: who comes behind still waits for all others before
  /// him.
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// Whether all who came before have left.
  [[nodiscard]] bool is_next() const;
  /// Blocks until it is so.
  void wait() const;

 private:
  friend class Turns;
  struct Row;
  Turn(std::shared_ptr<Row> row, std::uint64_t number);

  const std::shared_ptr<Row> row_;
  const std::uint64_t number_;
};

/// The row. Thread-safe; turns may outlive it.
class Turns final {
 public:
  Turns();
  /// The last place.
  std::unique_ptr<Turn> take();

 private:
  const std::shared_ptr<Turn::Row> row_;
};

}  // namespace cellblock::mcp

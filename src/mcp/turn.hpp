// A row of those who do something one after the other.
#pragma once

#include <cstdint>
#include <memory>

namespace cellblock::mcp {

/// A place in a row. Thread-safe.
class Turn final {
 public:
  ~Turn() { leave(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// Whether all who came before have left.
  [[nodiscard]] bool is_next() const;
  /// Blocks until it is so.
  void wait() const;

  enum class Left { undisturbed, interrupted };
  /// To be called when what it waited for has been started; says whether that shall not go on. It
  /// leaves also from the middle of the row: who comes behind still waits for all others before
  /// him. Once is enough.
  Left leave();

 private:
  friend class Turns;
  struct Row;
  Turn(std::shared_ptr<Row> row, std::uint64_t number);

  const std::shared_ptr<Row> row_;
  const std::uint64_t number_;
  Left how_ = Left::undisturbed;
};

/// The row. Thread-safe; turns may outlive it.
class Turns final {
 public:
  Turns();
  /// The last place.
  std::shared_ptr<Turn> take();
  /// What the first one waits to start, or has just started, shall not go on. False: all have left.
  bool interrupt_first();

 private:
  const std::shared_ptr<Turn::Row> row_;
};

}  // namespace cellblock::mcp

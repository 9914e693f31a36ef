// The memory of answers on their way to peers that may not read them.
#pragma once

#include <cstddef>
#include <memory>

namespace cellblock::rpc {

/// What a request is told for whose answer there is no room.
inline constexpr const char* kNoRoom =
    "The answers that are under way leave no room for this one; read them first, and ask for large "
    "ones outside of a batch.";

/// Counts answers from before they are built until they are written or dropped. Who wants to build
/// a large one waits in a row until there is room. So those that are built or wait to be written
/// take `limit` at most, or are one that is larger; besides, each worker may hold one answer whose
/// size was known only when it was built, and which waits for room now. Thread-safe; shares may
/// outlive it.
class AnswerRoom final {
  struct State;

 public:
  /// Answers up to here are counted but never wait: an interrupt's must come through.
  static constexpr std::size_t kSmall = 64U << 10;
  /// What building one takes, for each byte that it is made of: those bytes, their base64 and JSON
  /// forms, and copies on the way out.
  static constexpr std::size_t kBytesPerByte = 12;

  /// What one answer takes; given back with the last handle.
  class Share final {
   public:
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    friend class AnswerRoom;
    Share(std::shared_ptr<State> state, std::size_t bytes);
    void resize(std::size_t bytes);

    const std::shared_ptr<State> state_;
    std::size_t bytes_;
  };
  using Held = std::shared_ptr<Share>;

  /// A part of a batch must not wait: the others hold what they have until it is done.
  enum class WhenFull { wait, refuse };

  explicit AnswerRoom(std::size_t limit);

  /// For an answer that is to be built. Null: there is no room, or the end has come.
  Held reserve(std::size_t bytes, WhenFull when_full);
  /// For one that is built: it takes what it has. Without a reservation it waits first, if it is
  /// large and may; null then means that the end has come.
  Held settle(Held reserved, std::size_t bytes, WhenFull when_full);
  /// Nobody waits from now on.
  void close();

 private:
  Held wait(std::size_t bytes);
  Held add(std::size_t bytes);

  const std::shared_ptr<State> state_;
};

}  // namespace cellblock::rpc

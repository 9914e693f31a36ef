// One request that is being worked on.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/server.hpp"
#include "rpc/answer_room.hpp"

namespace cellblock::mcp {

/// Thread-safe.
class LiveCall final : public Call {
 public:
  /// `on_finished` is called once, before the reply gets its answer: whoever has that may use the
  /// request's id again.
  LiveCall(std::shared_ptr<Reply> reply, rpc::AnswerRoom& room, std::function<void()> on_finished)
      : reply_(std::move(reply)), room_(room), on_finished_(std::move(on_finished)) {}

  void cancel() override;
  [[nodiscard]] bool cancelled() const;

  /// What cancel() does: called at most once, on the thread that cancels; at once when that has
  /// been already. It must not block.
  void on_cancel(std::function<void()> stop);
  /// The same without cancelling: what was begun is stopped, an answer still goes out.
  void stop();

  /// What finish() does where the call was cancelled, so that its answer reaches nobody. It must
  /// not block.
  void on_unanswered(std::function<void()> undo);

  /// A request that has no end of its own: `last` is its answer when the server ends.
  void stay_open(Answer last);
  /// The server ends.
  void end();

  /// Sent unless the call was cancelled or has finished.
  void notify(const std::string& text);
  /// To be called before an answer is made from so many bytes; waits until there is room for it.
  /// False: a part of a batch finds none, or the server ends.
  bool make_room(std::size_t bytes);
  /// May wait until there is room for the answer. The first counts; a cancelled call finishes with
  /// no answer.
  void finish(Answer answer);

 private:
  [[nodiscard]] rpc::AnswerRoom::WhenFull when_full() const;

  const std::shared_ptr<Reply> reply_;
  rpc::AnswerRoom& room_;
  std::function<void()> on_finished_;
  mutable std::mutex mutex_;
  bool cancelled_ = false;
  bool finished_ = false;
  bool stays_open_ = false;
  Answer last_;
  std::function<void()> stop_;
  std::function<void()> undo_;
  rpc::AnswerRoom::Held held_;
};

}  // namespace cellblock::mcp

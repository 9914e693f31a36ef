#include "mcp/batch_reply.hpp"

#include <utility>

namespace cellblock::mcp {

class BatchReply::Part final : public Reply {
 public:
  explicit Part(std::shared_ptr<BatchReply> batch) : batch_(std::move(batch)) {}
  void notify(const std::string& text) override { batch_->notify(text); }
  void finish(const Answer& answer) override { batch_->add(answer); }
  [[nodiscard]] bool may_wait() const override { return false; }

 private:
  const std::shared_ptr<BatchReply> batch_;
};

std::shared_ptr<Reply> BatchReply::part() { return std::make_shared<Part>(shared_from_this()); }

void BatchReply::notify(const std::string& text) {
  // Two parts may have something to say at once.
  const std::lock_guard lock(mutex_);
  whole_->notify(text);
}

void BatchReply::add(const Answer& answer) {
  const std::lock_guard lock(mutex_);
  if (!answer.text.empty()) joined_.append(joined_.empty() ? "[" : ",").append(answer.text);
  held_.push_back(answer.held);
  if (--outstanding_ > 0) return;
  if (joined_.empty()) return whole_->finish({});
  whole_->finish(
      {Answer::Kind::result, joined_ + "]", std::make_shared<decltype(held_)>(std::move(held_))});
}

}  // namespace cellblock::mcp

#include "mcp/progress.hpp"

#include <utility>

#include "base/terminal_text.hpp"
#include "base/utf8.hpp"
#include "mcp/refusal.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::size_t kMaxMessage = 1'000;

}  // namespace

RunCallbacks Progress::callbacks(const std::shared_ptr<Progress>& progress) {
  const auto take = [progress](std::string_view text) { progress->add(text, text.size()); };
  return {.on_stdout = take,
          .on_stderr = take,
          .on_display = {},
          .on_queued = [progress](std::size_t position) {
            progress->add("waiting behind " + std::to_string(position) +
                              (position == 1 ? " other call\n" : " other calls\n"),
                          1);
          }};
}

void Progress::add(std::string_view text, std::uint64_t amount) {
  const std::lock_guard lock(mutex_);
  amount_ += amount;
  pending_ +=
      text.substr(base::ceil_to_character(text, text.size() - std::min(text.size(), kMaxMessage)));
  if (pending_.size() > 2 * kMaxMessage) {
    pending_.erase(0, base::ceil_to_character(pending_, pending_.size() - kMaxMessage));
  }
}

void Progress::tell(LiveCall& call) {
  std::string message;
  std::uint64_t amount = 0;
  {
    const std::lock_guard lock(mutex_);
    if (amount_ == told_) return;
    amount = told_ = amount_;
    message = std::exchange(pending_, {});
  }
  if (message.size() > kMaxMessage) {
    message.erase(0, base::ceil_to_character(message, message.size() - kMaxMessage));
  }
  Json params{{"progressToken", Json::parse(rpc::to_text(token_))},
              {"progress", amount},
              {"message", base::terminal_safe_text(message)}};
  call.notify(to_line(
      {{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", std::move(params)}}));
}

}  // namespace cellblock::mcp

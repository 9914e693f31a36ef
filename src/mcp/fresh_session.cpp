#include "mcp/fresh_session.hpp"

#include <utility>

namespace cellblock::mcp {

FreshSession::FreshSession(SessionBook& sessions, std::shared_ptr<LiveCall> call,
                           const SessionBook::Opened& opened)
    : sessions_(sessions),
      call_(std::move(call)),
      untold_(opened.is_untold ? opened.session : nullptr) {}

FreshSession::~FreshSession() {
  if (untold_) sessions_.close(untold_);
}

void FreshSession::settle(const ToolResult& result) {
  if (!untold_ || !result.structured.contains("session_id")) return;
  call_->on_unanswered([&sessions = sessions_, session = std::exchange(untold_, nullptr)] {
    sessions.close(session);
  });
}

}  // namespace cellblock::mcp

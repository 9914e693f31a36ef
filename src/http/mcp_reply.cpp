#include "http/mcp_reply.hpp"

namespace cellblock::http {

void McpReply::stream() {
  const std::lock_guard lock(mutex_);
  if (finished_ || streaming_ || !traits_.streams) return;
  streaming_ = true;
  exchange_->open_stream({});
}

void McpReply::notify(const std::string& text) {
  stream();
  // False for a client that takes none, or has gone: then somebody has been told to cancel.
  static_cast<void>(exchange_->send_event(text));
}

void McpReply::finish(const mcp::Answer& answer) {
  bool streaming = false;
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    streaming = streaming_;
  }
  exchange_->hold(answer.held);
  if (!streaming) return exchange_->respond(as_response(answer));
  if (!answer.text.empty()) static_cast<void>(exchange_->send_event(answer.text));
  exchange_->end_stream();
}

Response McpReply::as_response(const mcp::Answer& answer) const {
  Response response{.body = answer.text};
  switch (answer.kind) {
    case mcp::Answer::Kind::none:
      response.status = 202;
      break;
    case mcp::Answer::Kind::result:
      if (traits_.headers_of_result) response.headers = traits_.headers_of_result();
      break;
    case mcp::Answer::Kind::error:
      break;
    case mcp::Answer::Kind::malformed:
      response.status = 400;
      break;
    case mcp::Answer::Kind::no_method:
      if (traits_.era == mcp::Era::stateless) response.status = 404;
      break;
  }
  return response;
}

}  // namespace cellblock::http

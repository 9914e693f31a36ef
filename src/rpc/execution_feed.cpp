#include "rpc/execution_feed.hpp"

#include <utility>

namespace cellblock::rpc {

RunCallbacks ExecutionFeed::callbacks(const std::shared_ptr<ExecutionFeed>& feed) {
  return {
      .on_stdout =
          [feed](std::string_view text) {
            feed->notify("stream", {{"name", "stdout"}, {"text", text}});
          },
      .on_stderr =
          [feed](std::string_view text) {
            feed->notify("stream", {{"name", "stderr"}, {"text", text}});
          },
      .on_display =
          [feed](const DisplayData& data) {
            feed->notify("display", {{"result", Json::parse(data.to_json())}});
          },
      .on_queued =
          [feed](std::size_t position) {
            feed->notify("queued", {{"position", position}});
          },
  };
}

void ExecutionFeed::identify(const std::string& execution_id) {
  const std::lock_guard lock(mutex_);
  execution_id_ = execution_id;
  for (auto& [method, params] : std::exchange(early_, {})) send(method, std::move(params));
}

void ExecutionFeed::notify(std::string_view method, Json params) {
  const std::lock_guard lock(mutex_);
  if (execution_id_.empty()) {
    early_.emplace_back(method, std::move(params));
  } else {
    send(method, std::move(params));
  }
}

void ExecutionFeed::send(std::string_view method, Json params) {
  params["session_id"] = session_id_;
  params["execution_id"] = execution_id_;
  outbox_.send(to_text({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}),
               allowance_);
}

}  // namespace cellblock::rpc

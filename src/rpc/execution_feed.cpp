#include "rpc/execution_feed.hpp"

#include "rpc/json_text.hpp"

namespace cellblock::rpc {
namespace {

std::string stream_params(std::string_view name, std::string_view text) {
  return R"("name":")" + std::string(name) + R"(","text":)" + to_text(text);
}

}  // namespace

RunCallbacks ExecutionFeed::callbacks(const std::shared_ptr<ExecutionFeed>& feed) {
  return {
      .on_stdout =
          [feed](std::string_view text) { feed->notify("stream", stream_params("stdout", text)); },
      .on_stderr =
          [feed](std::string_view text) { feed->notify("stream", stream_params("stderr", text)); },
      .on_display =
          [feed](const DisplayData& data) {
            feed->notify("display", R"("result":)" + data.to_json());
          },
      .on_queued =
          [feed](std::size_t position) {
            feed->notify("queued", R"("position":)" + std::to_string(position));
          },
  };
}

void ExecutionFeed::identify(const std::string& execution_id) {
  const std::lock_guard lock(mutex_);
  execution_id_ = execution_id;
  for (const auto& [method, params] : std::exchange(early_, {})) send(method, params);
}

void ExecutionFeed::notify(std::string_view method, std::string params) {
  const std::lock_guard lock(mutex_);
  if (execution_id_.empty()) {
    early_.emplace_back(method, std::move(params));
  } else {
    send(method, params);
  }
}

void ExecutionFeed::send(std::string_view method, std::string_view params) {
  std::string line = R"({"jsonrpc":"2.0","method":")";
  line.append(method).append(R"(","params":{"session_id":)").append(to_text(session_id_));
  line.append(R"(,"execution_id":)").append(to_text(execution_id_));
  line.append(",").append(params).append("}}");
  outbox_.send(std::move(line), allowance_);
}

}  // namespace cellblock::rpc

// The session's calls that are no execution: questions to the process, kept output, files.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/utf8.hpp"
#include "cellblock/code.hpp"
#include "host/fork_session.hpp"
#include "protocol/messages.hpp"

namespace cellblock::host {
namespace {

using protocol::FrameType;

// Completion may run the user's own __dir__, so a question has a deadline too.
constexpr std::chrono::milliseconds kQueryTimeout{5'000};
constexpr std::size_t kKeptOutputs = 32;

/// An answer that does not decode means a broken session; the caller gets the decoder's words.
template <class Reply>
Expected<Reply> decode_answer(const Expected<protocol::Frame>& answer) {
  if (!answer) return answer.error();
  return Reply::decode(answer->body);
}

}  // namespace

Expected<protocol::Frame> ForkSession::ask(FrameType type, std::string body) {
  const auto query = std::make_shared<Query>(type, std::move(body), kQueryTimeout, policy_.grace);
  submit(query);
  return query->wait();
}

Expected<protocol::Frame> ForkSession::ask_about(FrameType type, std::string_view code,
                                                 std::size_t cursor) {
  if (auto problem = code_problem(code)) return *std::move(problem);
  return ask(type, protocol::CodeRequest{.code = std::string(code), .cursor = cursor}.encode());
}

Expected<void> ForkSession::reset() {
  auto answer = ask(FrameType::reset_request, protocol::encode_body(nlohmann::json::object()));
  if (!answer) return std::move(answer).error();
  const std::lock_guard lock(mutex_);
  names_.clear();
  imports_.clear();
  return {};
}

Expected<std::vector<Variable>> ForkSession::variables() {
  auto answer = ask(FrameType::variables_request, protocol::encode_body(nlohmann::json::object()));
  if (!answer) return std::move(answer).error();
  return protocol::decode_variables(answer->body);
}

Expected<Completion> ForkSession::complete(std::string_view code, std::size_t cursor) {
  auto reply =
      decode_answer<protocol::CompleteReply>(ask_about(FrameType::complete_request, code, cursor));
  if (!reply) return std::move(reply).error();
  return Completion{.matches = std::move(reply->matches), .start = reply->start, .end = reply->end};
}

Expected<Inspection> ForkSession::inspect(std::string_view code, std::size_t cursor) {
  auto reply =
      decode_answer<protocol::InspectReply>(ask_about(FrameType::inspect_request, code, cursor));
  if (!reply) return std::move(reply).error();
  return Inspection{.found = reply->found, .text = std::move(reply->text)};
}

Expected<Completeness> ForkSession::is_complete(std::string_view code) {
  auto reply =
      decode_answer<protocol::IsCompleteReply>(ask_about(FrameType::is_complete_request, code, 0));
  if (!reply) return std::move(reply).error();
  return Completeness{.status = std::move(reply->status), .indent = std::move(reply->indent)};
}

void ForkSession::keep_output(Execution& execution) {
  const std::lock_guard lock(kept_mutex_);
  kept_.push_back({execution.id(),
                   std::make_shared<const OutputCapture>(std::move(execution.out())),
                   std::make_shared<const OutputCapture>(std::move(execution.err()))});
  // Twice the spool, so that the last execution's two streams are there whole.
  const Bytes most = 2 * policy_.spool_bytes + policy_.max_stdout_bytes + policy_.max_stderr_bytes;
  const auto kept_bytes = [this] {
    Bytes sum = 0;
    for (const auto& kept : kept_) sum += kept.out->kept_bytes() + kept.err->kept_bytes();
    return sum;
  };
  while (kept_.size() > kKeptOutputs || (kept_.size() > 1 && kept_bytes() > most)) {
    kept_.pop_front();
  }
}

Expected<OutputPage> ForkSession::output(const OutputQuery& query) {
  if (query.limit == 0) {
    return Error{ErrorKind::bad_argument, "The limit must be at least 1 byte."};
  }
  if (auto over = use()) return *std::move(over);
  std::unique_lock lock(kept_mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const KeptOutput& kept) {
    return kept.execution_id == query.execution_id;
  });
  if (found == kept_.end()) {
    return Error{ErrorKind::bad_argument,
                 "No output of execution \"" + base::to_valid_utf8(query.execution_id) +
                     "\" is kept: give the execution_id of one of the last " +
                     std::to_string(kKeptOutputs) + " executions that have ended."};
  }
  const auto capture = query.stream == OutputStream::out ? found->out : found->err;
  lock.unlock();  // a search takes its time, and a run that ends meanwhile has output to keep
  return capture->page(query.offset, query.limit, query.pattern);
}

// --- files -----------------------------------------------------------------------------------

Expected<std::string> ForkSession::upload(std::string_view path, std::string_view data,
                                          Workspace::Write mode) {
  if (auto over = use()) return *std::move(over);
  return cage_->workspace().upload(path, data, mode);
}

Expected<std::string> ForkSession::download(std::string_view path, Bytes offset,
                                            std::optional<Bytes> limit) {
  if (auto over = use()) return *std::move(over);
  return cage_->workspace().download(path, offset, limit);
}

Expected<std::vector<FileInfo>> ForkSession::files() {
  if (auto over = use()) return *std::move(over);
  return cage_->workspace().files();
}

Expected<FileInfo> ForkSession::stat(std::string_view path) {
  if (auto over = use()) return *std::move(over);
  return cage_->workspace().stat(path);
}

}  // namespace cellblock::host

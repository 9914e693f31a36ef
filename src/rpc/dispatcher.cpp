#include "rpc/dispatcher.hpp"

#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace cellblock::rpc {
namespace {

constexpr std::size_t kMaxBatch = 1000;

std::string answer(const Json& id, const Outcome& outcome) {
  const std::string head = R"({"jsonrpc":"2.0","id":)" + to_text(id);
  if (outcome) return head + ",\"result\":" + *outcome + "}";
  const RpcError& error = outcome.error();
  return head + ",\"error\":" +
         to_text({{"code", error.code},
                  {"message", error.message},
                  {"data", {{"kind", to_string(error.kind)}}}}) +
         "}";
}

RpcError invalid_request(std::string message) {
  return RpcError{kInvalidRequest, ErrorKind::bad_argument, std::move(message)};
}

// A fraction, or a whole number beyond 64 bits, would not come back as it was.
bool may_be_id(const Json& id) { return id.is_string() || id.is_number_integer() || id.is_null(); }

// The answers of a batch, which go out together.
class BatchReplies {
 public:
  BatchReplies(Outbox& outbox, std::size_t outstanding)
      : outbox_(outbox), outstanding_(outstanding) {}

  void add(const std::string& text, AnswerRoom::Held held) {
    const std::lock_guard lock(mutex_);
    if (!text.empty()) joined_.append(joined_.empty() ? "[" : ",").append(text);
    held_.push_back(std::move(held));
    if (--outstanding_ > 0 || joined_.empty()) return;
    outbox_.send(std::move(joined_) + "]", std::make_shared<decltype(held_)>(std::move(held_)));
  }

 private:
  Outbox& outbox_;
  std::mutex mutex_;
  std::size_t outstanding_;
  std::string joined_;
  std::vector<AnswerRoom::Held> held_;
};

// What a method throws is a bug or no memory: the peer is told and the server goes on.
template <class Call>
auto attempt(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& error) {
    return RpcError{kServerError, ErrorKind::host_error,
                    std::string("The request failed inside Cellblock: ") + error.what() + "."};
  }
}

}  // namespace

/// Who waits for one request.
struct Dispatcher::Asker {
  Reply reply;
  bool wants_answer;
  Json id;
  AnswerRoom& room;
  AnswerRoom::WhenFull when_full;

  void done(const Outcome& outcome, AnswerRoom::Held held = nullptr) const {
    if (!wants_answer) return reply({}, nullptr);
    std::string text = answer(id, outcome);
    held = room.settle(std::move(held), text.size(), when_full);
    reply(std::move(text), std::move(held));
  }
};

void Dispatcher::take(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  auto message = parse_json(line);
  if (!message) {
    engine_.outbox.send(
        answer(nullptr, RpcError{kParseError, ErrorKind::bad_argument,
                                 "The line is not one JSON value: " + message.error() + "."}));
  } else if (message->is_array()) {
    take_batch(*message);
  } else {
    take_request(
        *message,
        [&outbox = engine_.outbox](std::string text, AnswerRoom::Held held) {
          if (!text.empty()) outbox.send(std::move(text), std::move(held));
        },
        AnswerRoom::WhenFull::wait);
  }
}

void Dispatcher::refuse_long_line(std::size_t limit) {
  engine_.outbox.send(
      answer(nullptr, RpcError{kServerError, ErrorKind::too_large,
                               "A line may have " + std::to_string(limit) +
                                   " bytes at most; upload large data in pieces (append)."}));
}

void Dispatcher::take_batch(Json& batch) {
  if (batch.empty() || batch.size() > kMaxBatch) {
    engine_.outbox.send(answer(nullptr, invalid_request("A batch holds 1 to " +
                                                        std::to_string(kMaxBatch) + " requests.")));
    return;
  }
  const auto replies = std::make_shared<BatchReplies>(engine_.outbox, batch.size());
  for (auto& request : batch) {
    take_request(
        request,
        [replies](const std::string& text, AnswerRoom::Held held) {
          replies->add(text, std::move(held));
        },
        AnswerRoom::WhenFull::refuse);
  }
}

void Dispatcher::take_request(Json& request, Reply reply, AnswerRoom::WhenFull when_full) {
  if (!request.is_object()) {
    return reply(answer(nullptr, invalid_request("A request is a JSON object.")), nullptr);
  }
  const auto given_id = request.find("id");
  const bool wants_answer = given_id != request.end();
  const Json id = wants_answer ? *given_id : Json();
  if (!may_be_id(id)) {
    return reply(
        answer(nullptr,
               invalid_request("\"id\" must be a string, a whole number of 64 bits or null.")),
        nullptr);
  }
  const auto version = request.find("jsonrpc");
  const auto name = request.find("method");
  if (version == request.end() || *version != "2.0" || name == request.end() ||
      !name->is_string()) {
    return reply(answer(id, invalid_request(
                                "A request has \"jsonrpc\": \"2.0\" and a \"method\", a string.")),
                 nullptr);
  }
  const Asker asker{std::move(reply), wants_answer, id, engine_.answers, when_full};
  const Method* method = find_method(name->get_ref<const std::string&>());
  if (method == nullptr) {
    return asker.done(RpcError{kMethodNotFound, ErrorKind::bad_argument,
                               "There is no such method; docs/protocol.md lists them."});
  }
  const auto params = request.find("params");
  if (params == request.end()) return call(*method, Json::object(), asker);
  if (!params->is_object()) {
    return asker.done(bad_params(std::string(method->name) +
                                 ": \"params\" must be an object with named parameters."));
  }
  call(*method, *params, asker);
}

void Dispatcher::call(const Method& method, const Json& params, const Asker& asker) {
  const RpcError busy{kServerError, ErrorKind::busy_limit,
                      "Too many requests are under way; wait for answers first."};
  if (!method.urgent && workers_.room() <= kUrgentRoom) return asker.done(busy);
  Params reader(method.name, params);
  Prepared prepared = attempt([&] { return method.prepare(engine_, reader); });
  if (const auto* outcome = std::get_if<Outcome>(&prepared)) return asker.done(*outcome);
  auto* large = std::get_if<LargeWork>(&prepared);
  const bool taken =
      large != nullptr ? workers_.run([work = std::move(*large), asker] { run_large(work, asker); })
                       : workers_.run([work = std::get<Work>(std::move(prepared)), asker] {
                           asker.done(attempt(work));
                         });
  if (!taken) asker.done(busy);
}

void Dispatcher::run_large(const LargeWork& large, const Asker& asker) {
  AnswerRoom::Held held;
  const auto outcome = attempt([&]() -> Outcome {
    held = asker.room.reserve(large.bytes() * AnswerRoom::kBytesPerByte, asker.when_full);
    if (held) return large.work();
    return RpcError{kServerError, ErrorKind::busy_limit, kNoRoom};
  });
  asker.done(outcome, std::move(held));
}

}  // namespace cellblock::rpc

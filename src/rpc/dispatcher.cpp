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

  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (!text.empty()) joined_.append(joined_.empty() ? "[" : ",").append(text);
    if (--outstanding_ == 0 && !joined_.empty()) outbox_.send(std::move(joined_) + "]");
  }

 private:
  Outbox& outbox_;
  std::mutex mutex_;
  std::size_t outstanding_;
  std::string joined_;
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
    take_request(*message, [&outbox = engine_.outbox](std::string text) {
      if (!text.empty()) outbox.send(std::move(text));
    });
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
    take_request(request, [replies](const std::string& text) { replies->add(text); });
  }
}

void Dispatcher::take_request(Json& request, Reply reply) {
  if (!request.is_object()) {
    return reply(answer(nullptr, invalid_request("A request is a JSON object.")));
  }
  const auto given_id = request.find("id");
  const bool wants_answer = given_id != request.end();
  const Json id = wants_answer ? *given_id : Json();
  if (!may_be_id(id)) {
    return reply(answer(
        nullptr, invalid_request("\"id\" must be a string, a whole number of 64 bits or null.")));
  }
  const auto version = request.find("jsonrpc");
  const auto name = request.find("method");
  if (version == request.end() || *version != "2.0" || name == request.end() ||
      !name->is_string()) {
    return reply(answer(
        id, invalid_request("A request has \"jsonrpc\": \"2.0\" and a \"method\", a string.")));
  }
  const Done done = [reply = std::move(reply), wants_answer, id](const Outcome& outcome) {
    reply(wants_answer ? answer(id, outcome) : std::string());
  };
  const Method* method = find_method(name->get_ref<const std::string&>());
  if (method == nullptr) {
    return done(RpcError{kMethodNotFound, ErrorKind::bad_argument,
                         "There is no such method; docs/protocol.md lists them."});
  }
  const auto params = request.find("params");
  if (params == request.end()) return call(*method, Json::object(), done);
  if (!params->is_object()) {
    return done(bad_params(std::string(method->name) +
                           ": \"params\" must be an object with named parameters."));
  }
  call(*method, *params, done);
}

void Dispatcher::call(const Method& method, const Json& params, const Done& done) {
  const RpcError busy{kServerError, ErrorKind::busy_limit,
                      "Too many requests are under way; wait for answers first."};
  if (!method.urgent && workers_.room() <= kUrgentRoom) return done(busy);
  Params reader(method.name, params);
  Prepared prepared = attempt([&] { return method.prepare(engine_, reader); });
  if (const auto* outcome = std::get_if<Outcome>(&prepared)) return done(*outcome);
  const bool taken =
      workers_.run([work = std::get<Work>(std::move(prepared)), done] { done(attempt(work)); });
  if (!taken) done(busy);
}

}  // namespace cellblock::rpc

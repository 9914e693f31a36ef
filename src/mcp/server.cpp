#include "mcp/server.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/terminal_text.hpp"
#include "mcp/batch_reply.hpp"
#include "mcp/connection.hpp"
#include "mcp/meta.hpp"
#include "mcp/methods.hpp"
#include "mcp/mirrored_headers.hpp"
#include "rpc/workers.hpp"

namespace cellblock::mcp {
namespace {

using std::chrono::milliseconds;

/// What answers that are built or wait for their peers take together.
constexpr std::size_t kMaxAnswerBytes = 128U << 20;
/// Requests that block at once, and how many more of the urgent ones: those seldom block.
constexpr std::size_t kMaxCalls = 512;
constexpr std::size_t kUrgentRoom = 16;
/// Requests at once, with those that stay open; the urgent ones, which do not, are not counted.
constexpr std::size_t kMaxOpen = 2'048;

// For what was over as soon as it had come.
class DoneCall final : public Call {
 public:
  void cancel() override {}
};

// The parts of a batch.
class Calls final : public Call {
 public:
  explicit Calls(std::vector<std::shared_ptr<Call>> calls) : calls_(std::move(calls)) {}
  void cancel() override {
    for (const auto& call : calls_) call->cancel();
  }

 private:
  const std::vector<std::shared_ptr<Call>> calls_;
};

Refusal no_method(const Message& message) {
  return {kMethodNotFound,
          "There is no method \"" + base::terminal_safe_line(message.method().substr(0, 60)) +
              "\" in this version of the protocol.",
          nullptr, Answer::Kind::no_method};
}

Refusal busy() {
  return {kInternalError, "Too many requests are under way; wait for answers first."};
}

/// A stateless request says everything that is needed to answer it.
std::optional<Refusal> check_stateless(const Message& message, const Origin& origin,
                                       const ServerOptions& options) {
  const Message::Body& body = message.body();
  const auto* meta = body.meta();
  const auto has = [meta](const char* key, bool (rpc::Json::*is_of_type)() const noexcept) {
    const auto found = meta == nullptr ? rpc::Json::const_iterator() : meta->find(key);
    return meta != nullptr && found != meta->end() && ((*found).*is_of_type)();
  };
  if (!has(kProtocolVersionKey, &rpc::Json::is_string) ||
      !has(kClientCapabilitiesKey, &rpc::Json::is_object)) {
    return malformed(kInvalidParams, std::string("A request needs in its _meta \"") +
                                         kProtocolVersionKey + "\", a string, and \"" +
                                         kClientCapabilitiesKey + "\", an object.");
  }
  if (meta->contains(kClientInfoKey) && !has(kClientInfoKey, &rpc::Json::is_object)) {
    return malformed(kInvalidParams, std::string("\"") + kClientInfoKey + "\" must be an object.");
  }
  if (origin.headers) {
    if (auto wrong = check_headers(*origin.headers, body)) return wrong;
  }
  const auto& version = (*meta)[kProtocolVersionKey].get_ref<const std::string&>();
  if (version == kStatelessVersion) return std::nullopt;
  Refusal refusal = malformed(kUnsupportedVersion, "Unsupported protocol version");
  refusal.data = {{"supported", supported_versions(options.oldest_version)},
                  {"requested", version}};
  return refusal;
}

/// A request of the handshake's era needs the handshake, and what was agreed on in it.
std::optional<Refusal> check_handshake(const Message& message, const Origin& origin) {
  const bool before = message.method() == "initialize" || message.method() == "ping";
  if (!origin.connection || (!before && origin.connection->version().empty())) {
    return malformed(kInvalidParams, std::string("Send initialize first, or state the version in "
                                                 "each request's _meta as \"") +
                                         kProtocolVersionKey + "\".");
  }
  if (message.method() == "initialize" || !origin.headers || !origin.headers->protocol_version) {
    return std::nullopt;
  }
  const auto agreed = origin.connection->version();
  if (agreed.empty() || *origin.headers->protocol_version == agreed) return std::nullopt;
  return malformed(kInvalidRequest,
                   "MCP-Protocol-Version must be " + agreed + ", as initialize agreed.");
}

std::optional<Refusal> check_progress_token(const Message::Body& body) {
  const auto* meta = body.meta();
  if (meta == nullptr || !meta->contains(kProgressTokenKey)) return std::nullopt;
  const auto& token = (*meta)[kProgressTokenKey];
  if (token.is_string() || token.is_number_integer()) return std::nullopt;
  return malformed(kInvalidParams, "\"progressToken\" must be a string or a whole number.");
}

/// What every result of the era has.
Json dressed(const Dialect& dialect, Json result) {
  if (dialect.era == Era::handshake) return result;
  Json whole{{"resultType", "complete"}};
  for (auto& item : result.items()) whole[item.key()] = std::move(item.value());
  whole["_meta"][kServerInfoKey] = server_info(dialect);
  return whole;
}

// What a method throws is a fault of ours or no memory: the peer is told and the server goes on.
template <class Make>
auto attempt(const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& error) {
    return Outcome(Refusal{
        kInternalError, std::string("The request failed inside Cellblock: ") + error.what() + "."});
  }
}

}  // namespace

struct Server::State {
  State(std::unique_ptr<Executor> executor, ServerOptions options)
      : engine(std::move(executor), std::move(options)) {}

  std::shared_ptr<Call> take(const Message& message, const Origin& origin,
                             std::shared_ptr<Reply> reply);
  std::shared_ptr<Call> take_batch(const Message& message, const Origin& origin,
                                   std::shared_ptr<Reply> reply);
  std::shared_ptr<Call> take_request(const Message& message, const Origin& origin,
                                     std::shared_ptr<Reply> reply);
  std::shared_ptr<LiveCall> register_call(std::shared_ptr<Reply> reply,
                                          const std::shared_ptr<Connection>& connection,
                                          const rpc::Json& id, bool is_urgent);
  void work_on(const Method& method, const RequestHandle& request);
  std::vector<std::shared_ptr<LiveCall>> end_calls();

  Engine engine;
  std::mutex mutex;
  std::map<std::uint64_t, std::shared_ptr<LiveCall>> calls;  // until they finish
  std::uint64_t next_call = 0;
  bool closing = false;
  rpc::AnswerRoom room{kMaxAnswerBytes};
  rpc::Workers workers{kMaxCalls + kUrgentRoom};
};

std::shared_ptr<Call> Server::State::take(const Message& message, const Origin& origin,
                                          std::shared_ptr<Reply> reply) {
  switch (message.kind()) {
    case Message::Kind::request:
      return take_request(message, origin, std::move(reply));
    case Message::Kind::batch:
      return take_batch(message, origin, std::move(reply));
    case Message::Kind::notification: {
      const auto& params = message.body().params;
      if (message.method() == "notifications/cancelled" && origin.connection &&
          params.contains("requestId")) {
        origin.connection->cancel(params["requestId"]);
      }
      break;
    }
    case Message::Kind::response:
      break;
  }
  reply->finish({});
  return std::make_shared<DoneCall>();
}

std::shared_ptr<Call> Server::State::take_batch(const Message& message, const Origin& origin,
                                                std::shared_ptr<Reply> reply) {
  const auto version = origin.connection ? origin.connection->version() : std::string();
  if (!Dialect{Era::handshake, version}.has_batches()) {
    reply->finish(answer(nullptr, malformed(kInvalidRequest,
                                            "Batches are for version 2025-03-26 only: send each "
                                            "message by itself.")));
    return std::make_shared<DoneCall>();
  }
  const auto& parts = message.body().parts;
  const auto batch = std::make_shared<BatchReply>(std::move(reply), parts.size());
  std::vector<std::shared_ptr<Call>> begun;
  for (const auto& part : parts) {
    if (!part) {
      batch->part()->finish(part.error());
    } else if (part->method() == "initialize") {
      batch->part()->finish(answer(
          part->body().id, malformed(kInvalidRequest, "initialize must not be in a batch.")));
    } else {
      begun.push_back(take(*part, origin, batch->part()));
    }
  }
  return std::make_shared<Calls>(std::move(begun));
}

std::shared_ptr<LiveCall> Server::State::register_call(
    std::shared_ptr<Reply> reply, const std::shared_ptr<Connection>& connection,
    const rpc::Json& id, bool is_urgent) {
  const std::lock_guard lock(mutex);
  if (closing || (calls.size() >= kMaxOpen && !is_urgent)) return nullptr;
  const auto number = next_call++;
  auto call = std::make_shared<LiveCall>(std::move(reply), room, [this, number, connection, id] {
    if (connection) connection->remove(id);
    const std::lock_guard own_lock(mutex);
    calls.erase(number);
  });
  calls.emplace(number, call);
  return call;
}

std::shared_ptr<Call> Server::State::take_request(const Message& message, const Origin& origin,
                                                  std::shared_ptr<Reply> reply) {
  const Message::Body& body = message.body();
  const auto refuse = [&](const Refusal& refusal) {
    reply->finish(answer(body.id, refusal));
    return std::make_shared<DoneCall>();
  };
  const bool is_stateless = message.era() == Era::stateless;
  auto wrong = is_stateless ? check_stateless(message, origin, engine.options())
                            : check_handshake(message, origin);
  if (!wrong) wrong = check_progress_token(body);
  const Method* method = find_method(message.method(), message.era());
  if (!wrong && method == nullptr) wrong = no_method(message);
  if (wrong) return refuse(*wrong);

  const bool is_urgent = method->is_urgent != nullptr && method->is_urgent(message);
  if (!is_urgent && workers.room() <= kUrgentRoom) return refuse(busy());
  const auto call = register_call(reply, origin.connection, body.id, is_urgent);
  if (!call) return refuse(busy());
  if (origin.connection && !origin.connection->add(body.id, call)) {
    // It is not this call's id to give back.
    const std::lock_guard lock(mutex);
    std::erase_if(calls, [&call](const auto& entry) { return entry.second == call; });
    return refuse(malformed(kInvalidRequest, "A request with this id is under way already."));
  }
  Dialect dialect{message.era(),
                  is_stateless ? std::string(kStatelessVersion) : origin.connection->version()};
  work_on(*method, std::make_shared<const Request>(
                       Request{message, std::move(dialect), call, origin.connection}));
  return call;
}

void Server::State::work_on(const Method& method, const RequestHandle& request) {
  const auto finish = [request](const Outcome& outcome) {
    request->call->finish(outcome ? answer(request->id(), dressed(request->dialect, *outcome))
                                  : answer(request->id(), outcome.error()));
  };
  Prepared prepared = attempt([&]() -> Prepared { return method.prepare(engine, request); });
  if (const auto* outcome = std::get_if<Outcome>(&prepared)) return finish(*outcome);
  if (auto* open = std::get_if<StaysOpen>(&prepared)) {
    request->call->notify(open->first);
    request->call->stay_open(answer(request->id(), dressed(request->dialect, open->last)));
    return;
  }
  const bool taken = workers.run([work = std::get<Work>(std::move(prepared)), finish] {
    finish(attempt([&work]() -> Outcome { return work(); }));
  });
  if (taken) return;
  // It may have started an execution.
  request->call->stop();
  finish(busy());
}

std::vector<std::shared_ptr<LiveCall>> Server::State::end_calls() {
  const std::lock_guard lock(mutex);
  closing = true;
  std::vector<std::shared_ptr<LiveCall>> live;
  for (const auto& [number, call] : calls) live.push_back(call);
  return live;
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Expected<std::unique_ptr<Server>> Server::create(ServerOptions options) {
  auto executor = Executor::create(ExecutorKind::fork, options.executor);
  if (!executor) return std::move(executor).error();
  return std::unique_ptr<Server>(
      new Server(std::make_unique<State>(std::move(*executor), std::move(options))));
}

Server::~Server() {
  // Threads that are late still use it.
  if (!close()) static_cast<void>(state_.release());
}

std::shared_ptr<Connection> Server::connect() { return std::make_shared<Connection>(); }

std::string Server::agreed_version(const Connection& connection) { return connection.version(); }

std::shared_ptr<Call> Server::handle(const Message& message, const Origin& origin,
                                     std::shared_ptr<Reply> reply) {
  return state_->take(message, origin, std::move(reply));
}

bool Server::close(milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const auto left = [deadline] {
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(
                                         deadline - std::chrono::steady_clock::now()));
  };
  for (const auto& call : state_->end_calls()) call->end();
  state_->room.close();
  std::packaged_task<void()> close(
      [&sessions = state_->engine.sessions()] { sessions.close_all(); });
  const auto closed = close.get_future();
  std::thread(std::move(close)).detach();
  const bool idle = state_->workers.wait_until_idle(left());
  return closed.wait_until(deadline) == std::future_status::ready && idle;
}

Executor& Server::executor() { return state_->engine.executor(); }

}  // namespace cellblock::mcp

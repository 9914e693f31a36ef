// The Model Context Protocol without a transport: messages in, answers out.
//
// A transport (stdio.hpp, src/http) reads bytes, makes a Message of them, gives it to
// Server::handle with a Reply of its own, and sends what the Reply gets. Everything else is here:
// both eras of the protocol, the tools, resources, progress, cancellation and the sessions.
//
//     auto message = Message::parse(body);
//     if (!message) return send(message.error());
//     auto call = server.handle(*message, {.connection = …, .headers = …}, reply);
//     … the client is gone: call->cancel();
//
// One server serves any number of peers at once. Peers are told apart by nothing: who knows a
// session_id (128 random bits) may use that session.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cellblock/executor.hpp"
#include "cellblock/policy.hpp"
#include "mcp/message.hpp"
#include "tool/facts.hpp"

namespace cellblock::mcp {

/// Where the answer to one message goes. The transport implements it.
///
/// Calls come from threads of the server, or from the caller's own within handle(); never two at
/// once for one Reply, and notify() never after finish(). A call may block for as long as the peer
/// is slow: that delays nobody else, but holds a thread, so the transport bounds it. A call must
/// not throw. The server keeps the Reply until finish() has returned.
class Reply {
 public:
  Reply() = default;
  virtual ~Reply() = default;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  /// A notification that belongs to the request: one JSON-RPC message on one line. Comes before
  /// finish(). Progress comes at most ten times a second, and only where the request has a
  /// progressToken; a request for a subscription is acknowledged.
  virtual void notify(const std::string& text) = 0;

  /// Exactly once for each handle(), also when it was cancelled (kind none).
  virtual void finish(const Answer& answer) = 0;

  /// Whether an answer may wait until others have been sent, which it is not part of.
  [[nodiscard]] virtual bool may_wait() const { return true; }
};

/// What is under way for one message. Thread-safe; may be dropped at any time, which cancels
/// nothing.
class Call {
 public:
  virtual ~Call() = default;
  /// The peer is gone or does not want the answer any more: interrupts the execution that the call
  /// has started. Does not block. Nothing is sent after it but what is on its way already, and
  /// finish() comes with kind `none`. Does nothing once finish() has been called.
  virtual void cancel() = 0;

 protected:
  Call() = default;
};

/// What one peer of the handshake era has agreed on, and the requests of one channel by their ids,
/// so that notifications/cancelled finds them. Opaque; thread-safe; dropping it cancels nothing.
///
/// stdio: one for the process. HTTP: one for each Mcp-Session-Id, made for the `initialize` that
/// begins it; a stateless request has none (there closing the stream cancels).
class Connection;

/// The headers that mirror a message (MCP-Protocol-Version, Mcp-Method, Mcp-Name), as they came;
/// nothing where one did not come. A transport refuses one that came twice.
struct MirroredHeaders {
  std::optional<std::string> protocol_version;
  std::optional<std::string> method;
  std::optional<std::string> name;
};

/// How a message came.
struct Origin {
  /// None: only stateless requests are served.
  std::shared_ptr<Connection> connection;
  /// Only where the transport has headers; they are then compared with the message: as 2026-07-28
  /// wants it for stateless requests (-32020), and for the others the version with the one that
  /// the handshake agreed on. What does not fit is answered with kind `malformed`.
  std::optional<MirroredHeaders> headers;
};

struct ServerOptions {
  ExecutorOptions executor;
  /// The operator's; callers can only narrow it.
  SecurityPolicy policy;
  /// What a tool call means that names no session: `own` is a session of the process, opened at its
  /// first use, for stdio, which has one peer; `fresh` a new session each time.
  tool::UnnamedSession unnamed_session = tool::UnnamedSession::fresh;
  /// Where there is no room for a new session, one to which nobody came back is ended once it has
  /// not been used for so long.
  std::chrono::milliseconds abandoned_after{30'000};
  /// The oldest handshake version that is taken ("2024-11-05" is for stdio only).
  std::string oldest_version = "2025-03-26";
};

/// Thread-safe.
class Server final {
 public:
  /// Does not wait until the engine is ready; the first use does. Error kinds: as
  /// Executor::create.
  static Expected<std::unique_ptr<Server>> create(ServerOptions options);
  /// close() with its limit; what takes longer is left to the process's end.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// For a peer that will send `initialize`.
  static std::shared_ptr<Connection> connect();
  /// The version that the handshake on it agreed on; empty before that.
  static std::string agreed_version(const Connection& connection);

  /// Takes one message. Never blocks but for what reply->finish() does: refusals are told before it
  /// returns, on this thread; everything else later, on a thread of the server. Too many calls at
  /// once are refused (kind error). Messages of one connection are to be given in the order in
  /// which they came; those of different ones from any thread.
  std::shared_ptr<Call> handle(const Message& message, const Origin& origin,
                               std::shared_ptr<Reply> reply);

  /// Cancels every call, closes every session and waits until all calls have finished, for `limit`
  /// at most. False: some have not. Calls that come afterwards are refused.
  bool close(std::chrono::milliseconds limit = std::chrono::milliseconds(2'000));

  /// The executor, for a look at it before serving (a "doctor" check, engine info).
  [[nodiscard]] Executor& executor();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Newest first: the stateless versions, then the handshake's from `oldest`.
std::vector<std::string> supported_versions(const std::string& oldest);

}  // namespace cellblock::mcp

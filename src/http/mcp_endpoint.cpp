#include "http/mcp_endpoint.hpp"

#include <string>
#include <utility>

#include "http/mcp_reply.hpp"
#include "rpc/json_text.hpp"

namespace cellblock::http {
namespace {

constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr const char* kVersionHeader = "MCP-Protocol-Version";
constexpr const char* kMethodHeader = "Mcp-Method";
constexpr const char* kNameHeader = "Mcp-Name";

constexpr int kHeaderMismatch = -32020;
constexpr int kNoSession = -32001;

// A JSON-RPC error about a request whose id was not read.
Response rpc_refusal(unsigned status, int code, const std::string& message) {
  return {.status = status,
          .headers = {},
          .body = rpc::to_text(
              {{"jsonrpc", "2.0"}, {"error", {{"code", code}, {"message", message}}}})};
}

// Whether one of the media ranges in Accept is `range`; weights are not looked at.
bool names(std::string_view accept, std::string_view range) {
  while (!accept.empty()) {
    const auto comma = accept.find(',');
    std::string_view entry = accept.substr(0, comma);
    entry = entry.substr(0, entry.find(';'));
    while (entry.starts_with(' ') || entry.starts_with('\t')) entry.remove_prefix(1);
    while (entry.ends_with(' ') || entry.ends_with('\t')) entry.remove_suffix(1);
    if (same_name(entry, range)) return true;
    if (comma == std::string_view::npos) return false;
    accept.remove_prefix(comma + 1);
  }
  return false;
}

bool takes_json(const std::optional<std::string>& accept) {
  return !accept || names(*accept, "application/json") || names(*accept, "application/*") ||
         names(*accept, "*/*");
}

}  // namespace

Route McpEndpoint::route() {
  return {.methods = {"POST", "DELETE"}, .handler = [this](const auto& exchange) {
            if (exchange->request().method == "DELETE") return end_session(*exchange);
            post(exchange);
          }};
}

void McpEndpoint::post(const std::shared_ptr<Exchange>& exchange) {
  const Request& request = exchange->request();
  const auto accept = request.header("Accept");
  if (!takes_json(accept)) {
    return exchange->respond(
        http::refusal(406, "Say in Accept that you take application/json and text/event-stream."));
  }
  for (const char* name : {kSessionHeader, kVersionHeader, kMethodHeader, kNameHeader}) {
    if (request.repeats(name)) {
      return exchange->respond(rpc_refusal(
          400, kHeaderMismatch, "The header " + std::string(name) + " came more than once."));
    }
  }
  auto message = mcp::Message::parse(exchange->take_body());
  if (!message) {
    return McpReply(exchange, {}).finish(message.error());
  }

  mcp::Origin origin{
      .connection = nullptr,
      .headers = mcp::MirroredHeaders{.protocol_version = request.header(kVersionHeader),
                                      .method = request.header(kMethodHeader),
                                      .name = request.header(kNameHeader)}};
  McpReply::Traits traits{.era = message->era(),
                          .streams = accept && names(*accept, "text/event-stream"),
                          .headers_of_result = nullptr};
  if (message->era() == mcp::Era::handshake) {
    if (const auto id = request.header(kSessionHeader)) {
      origin.connection = sessions_.use(*id);
      if (!origin.connection) {
        return exchange->respond(rpc_refusal(
            404, kNoSession,
            "There is no such Mcp-Session-Id, or it is over; begin with initialize again."));
      }
    } else if (message->method() == "initialize") {
      origin.connection = mcp::Server::connect();
      traits.headers_of_result = [this, connection = origin.connection] {
        return Headers{{kSessionHeader, sessions_.add(connection)}};
      };
    }
  }

  const bool may_take_long =
      message->method() == "tools/call" || message->kind() == mcp::Message::Kind::batch;
  const auto reply = std::make_shared<McpReply>(exchange, std::move(traits));
  const auto call = core_.handle(*message, origin, reply);
  exchange->on_gone([call] { call->cancel(); });
  // What is refused has been answered by now, with a status of its own.
  if (may_take_long && message->wants_answer()) reply->stream();
}

void McpEndpoint::end_session(Exchange& exchange) {
  const auto id = exchange.request().header(kSessionHeader);
  if (!id) return exchange.respond(http::refusal(400, "Name the session in Mcp-Session-Id."));
  if (!sessions_.remove(*id)) {
    return exchange.respond(http::refusal(404, "There is no such Mcp-Session-Id."));
  }
  exchange.respond({.status = 204, .headers = {}, .body = {}});
}

}  // namespace cellblock::http

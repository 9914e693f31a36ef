#include "mcp/message.hpp"

#include <algorithm>
#include <utility>

#include "mcp/message_body.hpp"
#include "mcp/meta.hpp"
#include "mcp/refusal.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::size_t kMaxBatch = 100;

bool may_be_id(const rpc::Json& id) { return id.is_string() || id.is_number_integer(); }

Era era_of(const std::string& method, const rpc::Json* meta) {
  if (method == "server/discover" || method == "subscriptions/listen") return Era::stateless;
  if (meta == nullptr) return Era::handshake;
  const bool own_keys = meta->contains(kProtocolVersionKey) || meta->contains(kClientInfoKey) ||
                        meta->contains(kClientCapabilitiesKey);
  return own_keys ? Era::stateless : Era::handshake;
}

Refusal invalid(std::string message) { return malformed(kInvalidRequest, std::move(message)); }

}  // namespace

Message::Message(std::shared_ptr<const Body> body) : body_(std::move(body)) {}

Expected<Message, Answer> Message::parse(std::string_view text) {
  if (text.size() > kMaxBytes) return too_long();
  auto json = rpc::parse_json(text, rpc::RepeatedKeys::refused);
  if (!json) {
    return answer(nullptr, malformed(kParseError,
                                     "The message is not one JSON value: " + json.error() + "."));
  }
  if (!json->is_array()) return read(*json);
  if (json->empty() || json->size() > kMaxBatch) {
    return answer(nullptr,
                  invalid("A batch holds 1 to " + std::to_string(kMaxBatch) + " messages."));
  }
  auto body = std::make_shared<Body>();
  body->kind = Kind::batch;
  for (auto& part : *json) body->parts.push_back(read(part));
  return Message(std::move(body));
}

Answer Message::too_long() {
  return answer(nullptr, invalid("A message may have " + std::to_string(kMaxBytes) +
                                 " bytes at most; upload large files in pieces (append)."));
}

Expected<Message, Answer> Message::read(rpc::Json& json) {
  if (!json.is_object()) return answer(nullptr, invalid("A message is a JSON object."));
  auto body = std::make_shared<Body>();
  const auto id = json.find("id");
  const bool has_id = id != json.end();
  if (has_id && may_be_id(*id)) body->id = *id;
  const auto refuse = [&body](const Refusal& refusal) { return answer(body->id, refusal); };

  const auto version = json.find("jsonrpc");
  if (version == json.end() || *version != "2.0") {
    return refuse(invalid("A message has \"jsonrpc\": \"2.0\"."));
  }
  const auto method = json.find("method");
  if (method == json.end() && (json.contains("result") || json.contains("error"))) {
    body->kind = Kind::response;
    return Message(std::move(body));
  }
  if (method == json.end() || !method->is_string()) {
    return refuse(invalid("A request has a \"method\", a string."));
  }
  if (has_id && body->id.is_null()) {
    return refuse(invalid("\"id\" must be a string or a whole number."));
  }
  body->kind = has_id ? Kind::request : Kind::notification;
  body->method = method->get<std::string>();
  if (const auto params = json.find("params"); params != json.end()) {
    if (!params->is_object()) {
      return refuse(malformed(kInvalidParams, "\"params\" must be an object."));
    }
    body->params = std::move(*params);
  }
  if (const auto* meta = body->meta(); meta != nullptr && !meta->is_object()) {
    return refuse(malformed(kInvalidParams, "\"_meta\" must be an object."));
  }
  body->era = era_of(body->method, body->meta());
  return Message(std::move(body));
}

Message::Kind Message::kind() const { return body_->kind; }

const std::string& Message::method() const { return body_->method; }

Era Message::era() const { return body_->era; }

bool Message::wants_answer() const {
  if (body_->kind != Kind::batch) return body_->kind == Kind::request;
  return std::any_of(body_->parts.begin(), body_->parts.end(),
                     [](const auto& part) { return !part || part->wants_answer(); });
}

}  // namespace cellblock::mcp

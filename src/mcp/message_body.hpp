// What is in a Message.
#pragma once

#include <string>
#include <vector>

#include "mcp/message.hpp"
#include "rpc/json_text.hpp"

namespace cellblock::mcp {

struct Message::Body {
  Kind kind = Kind::request;
  Era era = Era::handshake;
  std::string method;
  /// Of a request: a string or a whole number.
  rpc::Json id;
  /// An object, empty when there was none.
  rpc::Json params = rpc::Json::object();
  /// Of a batch: its messages, and the answers to what is none.
  std::vector<Expected<Message, Answer>> parts;

  /// params._meta, an object; null: there is none.
  [[nodiscard]] const rpc::Json* meta() const {
    const auto found = params.find("_meta");
    return found == params.end() ? nullptr : &*found;
  }
};

}  // namespace cellblock::mcp

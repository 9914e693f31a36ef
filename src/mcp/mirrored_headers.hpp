// Headers that repeat what stands in a message, so that whatever lies between can route by them.
#pragma once

#include <optional>

#include "mcp/message_body.hpp"
#include "mcp/refusal.hpp"
#include "mcp/server.hpp"

namespace cellblock::mcp {

/// What is wrong with the headers of a stateless request: one is missing, says something else than
/// the message, or is no header value (-32020).
std::optional<Refusal> check_headers(const MirroredHeaders& headers, const Message::Body& body);

}  // namespace cellblock::mcp

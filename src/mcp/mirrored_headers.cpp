#include "mcp/mirrored_headers.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "base/terminal_text.hpp"
#include "mcp/meta.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::string_view kEncodedBegin = "=?base64?";
constexpr std::string_view kEncodedEnd = "?=";
constexpr std::size_t kMaxQuoted = 100;

Refusal mismatch(std::string sentence) {
  return malformed(kHeaderMismatch, "Header mismatch: " + std::move(sentence));
}

std::string in_quotes(std::string_view text) {
  return "\"" + base::terminal_safe_line(text.substr(0, kMaxQuoted)) + "\"";
}

/// Nothing: it has characters that no header may have, or is no base64.
std::optional<std::string> decoded(std::string_view value) {
  const bool is_plain = std::all_of(value.begin(), value.end(), [](const char c) {
    return c == '\t' || (c >= 0x20 && c <= 0x7e);
  });
  if (!is_plain) return std::nullopt;
  if (value.size() < kEncodedBegin.size() + kEncodedEnd.size() ||
      !value.starts_with(kEncodedBegin) || !value.ends_with(kEncodedEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kEncodedBegin.size());
  value.remove_suffix(kEncodedEnd.size());
  return base::base64_decode(value);
}

std::optional<Refusal> compare(std::string_view name, const std::optional<std::string>& header,
                               std::string_view expected) {
  if (!header)
    return mismatch(std::string(name) + " is missing; it must be " + in_quotes(expected) + ".");
  if (*header == expected) return std::nullopt;
  return mismatch(std::string(name) + " is " + in_quotes(*header) + " and the message says " +
                  in_quotes(expected) + "; send the same.");
}

/// The member of the parameters that Mcp-Name repeats; null: none.
const char* named_by(const std::string& method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : nullptr;
}

}  // namespace

std::optional<Refusal> check_headers(const MirroredHeaders& headers, const Message::Body& body) {
  const auto* meta = body.meta();
  const auto version =
      meta == nullptr ? std::string() : meta->value(kProtocolVersionKey, std::string());
  if (auto wrong = compare("MCP-Protocol-Version", headers.protocol_version, version)) return wrong;
  if (auto wrong = compare("Mcp-Method", headers.method, body.method)) return wrong;
  const char* member = named_by(body.method);
  if (member == nullptr) return std::nullopt;
  const auto value = body.params.find(member);
  // Without it the method itself refuses the request.
  if (value == body.params.end() || !value->is_string()) return std::nullopt;
  std::optional<std::string> name;
  if (headers.name) {
    name = decoded(*headers.name);
    if (!name) {
      return mismatch("Mcp-Name is " + in_quotes(*headers.name) +
                      ", which is neither plain ASCII nor =?base64?…?=.");
    }
  }
  return compare("Mcp-Name", name, value->get_ref<const std::string&>());
}

}  // namespace cellblock::mcp

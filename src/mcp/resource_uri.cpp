#include "mcp/resource_uri.hpp"

#include <charconv>

namespace cellblock::mcp {
namespace {

constexpr std::string_view kPrefix = "cellblock://sessions/";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == '/';
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (stays(c)) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]});
    }
  }
  return out;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    unsigned value = 0;
    const auto digits = text.substr(at + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (error != std::errc() || digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
    out += static_cast<char>(value);
    at += 2;
  }
  return out;
}

/// What stands before the next slash; takes it and the slash away. Nothing: there is no slash.
std::optional<std::string_view> take_segment(std::string_view& rest) {
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const auto segment = rest.substr(0, slash);
  rest.remove_prefix(slash + 1);
  return segment;
}

std::optional<Bytes> parse_offset(std::string_view query) {
  constexpr std::string_view kName = "offset=";
  if (!query.starts_with(kName)) return std::nullopt;
  query.remove_prefix(kName.size());
  Bytes value = 0;
  const auto [end, error] = std::from_chars(query.data(), query.data() + query.size(), value);
  if (error != std::errc() || end != query.data() + query.size()) return std::nullopt;
  return value;
}

std::optional<ResourceUri> parse_output(std::string_view rest, ResourceUri uri) {
  const auto execution_id = take_segment(rest);
  if (!execution_id) return std::nullopt;
  uri.execution_id = *execution_id;
  if (const auto question = rest.find('?'); question != std::string_view::npos) {
    const auto offset = parse_offset(rest.substr(question + 1));
    if (!offset) return std::nullopt;
    uri.offset = *offset;
    rest = rest.substr(0, question);
  }
  if (rest != "stdout" && rest != "stderr") return std::nullopt;
  uri.stream = rest == "stdout" ? OutputStream::out : OutputStream::err;
  return uri;
}

}  // namespace

std::string file_uri(std::string_view session_id, std::string_view path) {
  return std::string(kPrefix) + encoded(session_id) + "/files/" + encoded(path);
}

std::string output_uri(std::string_view session_id, std::string_view execution_id,
                       OutputStream stream) {
  return std::string(kPrefix) + encoded(session_id) + "/outputs/" + encoded(execution_id) +
         (stream == OutputStream::out ? "/stdout" : "/stderr");
}

std::optional<ResourceUri> parse_uri(std::string_view uri) {
  if (!uri.starts_with(kPrefix)) return std::nullopt;
  uri.remove_prefix(kPrefix.size());
  const auto session_id = take_segment(uri);
  const auto kind = session_id ? take_segment(uri) : std::nullopt;
  if (!kind) return std::nullopt;
  ResourceUri parsed{.session_id = std::string(*session_id)};
  if (*kind == "outputs") return parse_output(uri, std::move(parsed));
  auto path = decoded(uri);
  if (*kind != "files" || !path || path->empty()) return std::nullopt;
  parsed.path = std::move(*path);
  return parsed;
}

}  // namespace cellblock::mcp

// Requests and answers as values.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cellblock::http {

/// Whether both are the same but for the case of ASCII letters.
inline bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [lower](char x, char y) { return lower(x) == lower(y); });
}

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;
  std::string path;   ///< as it came: nothing is decoded or shortened
  std::string query;  ///< without its question mark
  Headers headers;
  std::string body;

  /// The first of that name, in any case.
  [[nodiscard]] std::optional<std::string> header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (same_name(key, name)) return value;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool repeats(std::string_view name) const {
    return std::count_if(headers.begin(), headers.end(),
                         [name](const auto& header) { return same_name(header.first, name); }) > 1;
  }
};

struct Response {
  unsigned status = 200;
  Headers headers;  ///< beside those that every answer has
  std::string content_type = "application/json";
  std::string body;  ///< empty: none, and no content type
};

/// An answer that says why there is no other: {"error":{"message":…}}.
Response refusal(unsigned status, std::string_view message, Headers headers = {});

/// Whether the connection can be used again after an answer.
enum class After { keep, close };

/// The whole of it, ready to be sent.
std::string to_bytes(const Response& response, After after);
/// The head of an answer with status 200 whose body is a chunked text/event-stream.
std::string stream_head(const Headers& headers);

/// One event with `data`, and a comment that clients ignore, as chunks of the stream.
std::string event_chunk(std::string_view data);
std::string comment_chunk();
std::string_view last_chunk();

}  // namespace cellblock::http

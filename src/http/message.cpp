#include "http/message.hpp"

#include <array>
#include <cstdio>
#include <ctime>

#include "rpc/json_text.hpp"

namespace cellblock::http {
namespace {

std::string_view reason(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

// Not by strftime, whose names are those of the locale.
std::string date() {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%s, %02d %s %d %02d:%02d:%02d GMT",
                                 kDays.at(static_cast<std::size_t>(utc.tm_wday)), utc.tm_mday,
                                 kMonths.at(static_cast<std::size_t>(utc.tm_mon)),
                                 utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return {text.data(), static_cast<std::size_t>(size)};
}

void add(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

// A browser that shows an answer must run nothing of it, guess no type and keep no copy. There is
// no CORS header: no page of another origin reads anything.
std::string head(unsigned status, const Headers& headers) {
  std::string text =
      "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)) + "\r\n";
  add(text, "Date", date());
  add(text, "Cache-Control", "no-store");
  add(text, "X-Content-Type-Options", "nosniff");
  add(text, "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
  add(text, "Cross-Origin-Resource-Policy", "same-origin");
  add(text, "Referrer-Policy", "no-referrer");
  for (const auto& [name, value] : headers) add(text, name, value);
  return text;
}

std::string chunk(std::string_view data) {
  std::array<char, 20> size{};
  const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", data.size());
  std::string text(size.data(), static_cast<std::size_t>(length));
  text.append(data).append("\r\n");
  return text;
}

}  // namespace

Response refusal(unsigned status, std::string_view message, Headers headers) {
  return {.status = status,
          .headers = std::move(headers),
          .body = rpc::to_text({{"error", {{"message", message}}}})};
}

std::string to_bytes(const Response& response, After after) {
  std::string text = head(response.status, response.headers);
  if (!response.body.empty()) add(text, "Content-Type", response.content_type);
  if (response.status != 204) add(text, "Content-Length", std::to_string(response.body.size()));
  if (after == After::close) add(text, "Connection", "close");
  text.append("\r\n").append(response.body);
  return text;
}

std::string stream_head(const Headers& headers) {
  std::string text = head(200, headers);
  add(text, "Content-Type", "text/event-stream");
  add(text, "Transfer-Encoding", "chunked");
  add(text, "X-Accel-Buffering", "no");
  return text + "\r\n";
}

std::string event_chunk(std::string_view data) {
  std::string event;
  while (true) {
    const auto end = data.find('\n');
    event.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    data.remove_prefix(end + 1);
  }
  return chunk(event + "\n");
}

std::string comment_chunk() { return chunk(":\n\n"); }

std::string_view last_chunk() { return "0\r\n\r\n"; }

}  // namespace cellblock::http

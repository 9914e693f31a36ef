#include "http/request_parser.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <limits>
#include <utility>

namespace cellblock::http {

namespace beast = boost::beast;

namespace {

constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace

struct RequestParser::Beast {
  beast::http::request_parser<beast::http::string_body> parser;
};

RequestParser::RequestParser(const Limits& limits)
    : limits_(limits), beast_(std::make_unique<Beast>()) {
  // The limits on the head are kept here; the one on the body is for whoever acts on the head.
  beast_->parser.header_limit(std::numeric_limits<std::uint32_t>::max());
  beast_->parser.body_limit(std::numeric_limits<std::uint64_t>::max());
}

RequestParser::~RequestParser() = default;

RequestParser::Got RequestParser::take(std::string& bytes) {
  return head_done_ ? take_body(bytes) : take_head(bytes);
}

RequestParser::Got RequestParser::take_head(std::string& bytes) {
  // Some clients send an empty line after a body.
  if (scanned_ <= 1 && bytes.starts_with("\r\n")) {
    bytes.erase(0, 2);
    scanned_ = 0;
  }
  for (; scanned_ < bytes.size(); ++scanned_) {
    if (bytes[scanned_] == '\n' && (scanned_ == 0 || bytes[scanned_ - 1] != '\r')) {
      return refuse(400, "Lines of a request end with CR and LF.");
    }
    if (bytes[scanned_] == '\n' && scanned_ >= 3 && bytes[scanned_ - 2] == '\n') break;
  }
  const std::size_t head = scanned_ + 1;
  if (bytes.find('\n') > limits_.max_request_line && scanned_ > limits_.max_request_line) {
    return refuse(414, "The request line is too long.");
  }
  if (scanned_ >= limits_.max_head) return refuse(431, "The headers are too long.");
  if (scanned_ == bytes.size()) return Got::more;

  beast::error_code failure;
  std::size_t used = 0;
  while (used < head && !failure && !beast_->parser.is_header_done()) {
    used += beast_->parser.put(boost::asio::buffer(bytes.data() + used, head - used), failure);
  }
  if (failure == beast::http::error::bad_version) {
    return refuse(505, "This server speaks HTTP/1.1.");
  }
  if (failure || !beast_->parser.is_header_done()) {
    return refuse(400, "This is no HTTP/1.1 request.");
  }
  beast_->parser.body_limit(limits_.max_body);
  bytes.erase(0, head);
  head_done_ = true;
  return check_head();
}

RequestParser::Got RequestParser::check_head() {
  const auto& message = beast_->parser.get();
  if (message.version() != 11) return refuse(505, "This server speaks HTTP/1.1.");
  const std::string_view target(message.target().data(), message.target().size());
  if (!target.starts_with('/') ||
      !std::all_of(target.begin(), target.end(), [](char c) { return c > ' ' && c < '\x7f'; }) ||
      target.find('#') != std::string_view::npos) {
    return refuse(400, "A request's target is a path that begins with a slash.");
  }
  const auto question = target.find('?');
  request_.method = std::string(message.method_string());
  request_.path = target.substr(0, question);
  if (question != std::string_view::npos) request_.query = target.substr(question + 1);
  for (const auto& field : message) {
    request_.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  const auto length = request_.header("Content-Length");
  if (length &&
      !std::all_of(length->begin(), length->end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return refuse(400, "Content-Length is one number.");
  }
  const auto encoding = request_.header("Transfer-Encoding");
  if ((encoding && length) || request_.repeats("Content-Length") ||
      request_.repeats("Transfer-Encoding")) {
    return refuse(400, "A request has one Content-Length or one Transfer-Encoding.");
  }
  if (encoding && !same_name(*encoding, "chunked")) {
    return refuse(501, "Only the transfer encoding \"chunked\" is known here.");
  }
  const auto expectation = request_.header("Expect");
  if (expectation && !same_name(*expectation, "100-continue")) {
    return refuse(417, "Only \"100-continue\" may be expected.");
  }
  return Got::head;
}

RequestParser::Got RequestParser::take_body(std::string& bytes) {
  auto& parser = beast_->parser;
  beast::error_code failure;
  std::size_t used = 0;
  while (!parser.is_done() && !failure) {
    // Beast counts on that much when the last chunk comes; nothing chunked ends in less.
    if (parser.chunked() && bytes.size() - used < kLastChunk.size()) break;
    const std::size_t taken =
        parser.put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), failure);
    used += taken;
    if (used == bytes.size() && taken == 0) break;
  }
  bytes.erase(0, used);
  if (failure == beast::http::error::body_limit) {
    return refuse(413, "The body is too long.");
  }
  if (failure && failure != beast::http::error::need_more) {
    return refuse(400, "The body is not what the headers announce.");
  }
  // A chunk's head, or the lines after the last chunk.
  if (bytes.size() > limits_.max_head) return refuse(400, "A chunk's head is too long.");
  if (!parser.is_done()) return Got::more;
  request_.body = std::move(parser.get().body());
  return Got::request;
}

RequestParser::Got RequestParser::refuse(unsigned status, std::string_view message) {
  refusal_ = http::refusal(status, message);
  return Got::refused;
}

std::size_t RequestParser::announced_body() const {
  const auto& parser = beast_->parser;
  if (parser.chunked()) return limits_.max_body;
  const auto length = parser.content_length();
  return length ? static_cast<std::size_t>(*length) : 0;
}

bool RequestParser::expects_continue() const { return request_.header("Expect").has_value(); }

bool RequestParser::keeps_alive() const { return beast_->parser.keep_alive(); }

}  // namespace cellblock::http

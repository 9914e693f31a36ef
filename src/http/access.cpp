#include "http/access.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cellblock::http {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view value) {
  return std::any_of(list.begin(), list.end(),
                     [value](const std::string& entry) { return same_name(entry, value); });
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != '*' && c != '/' && c != '@' && c != ',';
  });
}

bool is_origin(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) return is_plain(text.substr(scheme.size()));
  }
  return false;
}

// The credentials of a "Bearer" scheme; the scheme's name has no case.
std::optional<std::string_view> bearer(std::string_view value) {
  constexpr std::string_view kScheme = "bearer ";
  if (value.size() <= kScheme.size() || !same_name(value.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  value.remove_prefix(kScheme.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

Response unauthorized(std::string_view message, std::string_view challenge) {
  return refusal(401, message, {{"WWW-Authenticate", std::string(challenge)}});
}

}  // namespace

Expected<Access> Access::create(const Listener& listener, Options options) {
  if (!options.token && !listener.loopback) {
    return Error{ErrorKind::bad_argument,
                 "Without a token only this machine may be served; listen on 127.0.0.1."};
  }
  for (const std::string& host : options.hosts) {
    if (!is_plain(host)) {
      return Error{ErrorKind::bad_argument,
                   "\"" + host + "\" is no host; write NAME or NAME:PORT, one at a time."};
    }
  }
  for (const std::string& origin : options.origins) {
    if (!is_origin(origin)) {
      return Error{ErrorKind::bad_argument,
                   "\"" + origin + "\" is no origin; write https://NAME:PORT, one at a time."};
    }
  }
  return Access(listener.address, std::move(options));
}

Access::Access(const Address& address, Options options) : options_(std::move(options)) {
  for (const std::string& host :
       {std::string("localhost"), std::string("127.0.0.1"), std::string("::1"), address.host}) {
    const std::string own = authority({.host = host, .port = address.port});
    options_.hosts.push_back(own);
    options_.origins.push_back("http://" + own);
    // A port that goes without saying.
    if (address.port == 80) {
      options_.hosts.push_back(own.substr(0, own.size() - 3));
      options_.origins.push_back("http://" + own.substr(0, own.size() - 3));
    }
  }
}

std::optional<Response> Access::refuse(const Request& request) const {
  for (const std::string_view name :
       {"Host", "Origin", "Authorization", "Content-Type", "Sec-Fetch-Site", "Expect"}) {
    if (request.repeats(name)) {
      return refusal(400, "The header " + std::string(name) + " came more than once.");
    }
  }
  const auto host = request.header("Host");
  if (!host) return refusal(400, "The header Host is missing.");
  if (!contains(options_.hosts, *host)) {
    return refusal(421, "Host names another server; use the address that this one has shown.");
  }
  if (const auto origin = request.header("Origin")) {
    if (!contains(options_.origins, *origin)) {
      return refusal(403, "Pages of this origin may not use this server.");
    }
  } else if (const auto site = request.header("Sec-Fetch-Site");
             site && *site != "none" && *site != "same-origin") {
    return refusal(403, "Pages of other sites may not use this server.");
  }
  if (!options_.token) return std::nullopt;
  const auto authorization = request.header("Authorization");
  if (!authorization) {
    return unauthorized("Send the server's token: Authorization: Bearer TOKEN.",
                        "Bearer realm=\"cellblock\"");
  }
  const auto given = bearer(*authorization);
  if (!given || !options_.token->matches(*given)) {
    return unauthorized("This is not the server's token.",
                        "Bearer realm=\"cellblock\", error=\"invalid_token\"");
  }
  return std::nullopt;
}

}  // namespace cellblock::http

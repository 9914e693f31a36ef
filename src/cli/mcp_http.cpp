#include "cli/mcp_http.hpp"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <utility>

#include "base/open_files.hpp"
#include "cli/console.hpp"
#include "cli/signals.hpp"
#include "http/mcp_endpoint.hpp"
#include "http/server.hpp"
#include "rpc/json_text.hpp"

namespace cellblock::cli {
namespace {

constexpr const char* kTokenVariable = "CELLBLOCK_HTTP_TOKEN";
// Of the descriptors, connections get a part; sessions need the others.
constexpr std::size_t kConnectionsPart = 4;
constexpr std::size_t kMinConnections = 16;

// The operator's token, and whether it must be shown because nobody knows it yet.
struct ChosenToken {
  std::optional<http::Token> token;
  bool is_new = false;
};

Expected<ChosenToken> choose_token(const McpHttpFlags& flags) {
  const char* variable = std::getenv(kTokenVariable);
  const std::optional<std::string> given =
      variable == nullptr ? std::nullopt : std::optional<std::string>(variable);
  // No child needs to know it.
  ::unsetenv(kTokenVariable);
  if (flags.no_token) {
    if (given) {
      return Error{ErrorKind::bad_argument,
                   std::string("--no-token and ") + kTokenVariable + " exclude each other."};
    }
    return ChosenToken{};
  }
  if (flags.token_file) {
    auto token = http::Token::from_file(*flags.token_file);
    if (!token) return std::move(token).error();
    return ChosenToken{.token = std::move(*token)};
  }
  if (given) {
    auto token = http::Token::from_text(*given, kTokenVariable);
    if (!token) return std::move(token).error();
    return ChosenToken{.token = std::move(*token)};
  }
  return ChosenToken{.token = http::Token::random(), .is_new = true};
}

http::Limits limits_here() {
  http::Limits limits;
  limits.max_connections = std::clamp(base::raise_open_files_limit() / kConnectionsPart,
                                      kMinConnections, limits.max_connections);
  return limits;
}

// A line for programs on standard output, sentences for people on standard error.
void announce(const http::Server& server, const ChosenToken& chosen) {
  const std::string url =
      "http://" + http::authority(server.address()) + std::string(http::McpEndpoint::kPath);
  complain("serving MCP at " + url + ".");
  if (chosen.is_new) complain("the token for Authorization: Bearer is " + chosen.token->text());
  if (!chosen.token) complain("every program on this machine can use it: there is no token.");
  if (!server.loopback()) {
    complain(
        "other machines can reach this address, and nothing is encrypted: who reads the "
        "token can run code. Put a proxy with TLS in front of it.");
  }
  std::cout << rpc::to_text(
                   {{"url", url}, {"host", server.address().host}, {"port", server.address().port}})
            << std::endl;
}

void wait_for_signal(const Signals& signals) {
  pollfd wait{signals.wake_fd(), POLLIN, 0};
  while (::poll(&wait, 1, -1) != 1) {
  }
}

}  // namespace

void add_mcp_http_flags(CLI::App& command, McpHttpFlags& flags) {
  auto* http = command
                   .add_option("--http", flags.address,
                               "Serve over HTTP (Streamable HTTP, path /mcp) at that address; "
                               "port 0 for a free one")
                   ->type_name("127.0.0.1:PORT");
  auto* file = command
                   .add_option("--token-file", flags.token_file,
                               "The bearer token that clients show, a file of mode 0600; else "
                               "$CELLBLOCK_HTTP_TOKEN, else a new one is made and shown")
                   ->type_name("FILE")
                   ->needs(http);
  command
      .add_flag("--no-token", flags.no_token,
                "Let every program on this machine in (loopback addresses only)")
      ->needs(http)
      ->excludes(file);
  command
      .add_option("--allow-host", flags.hosts,
                  "A further Host, NAME or NAME:PORT, as a proxy or forwarded port sends it")
      ->type_name("HOST")
      ->allow_extra_args(false)
      ->needs(http);
  command
      .add_option("--allow-origin", flags.origins,
                  "A further Origin whose programs may use the server")
      ->type_name("ORIGIN")
      ->allow_extra_args(false)
      ->needs(http);
}

int serve_mcp_http(const McpHttpFlags& flags, mcp::ServerOptions options,
                   const std::function<Expected<void>(Executor&)>& check) {
  auto chosen = choose_token(flags);
  if (!chosen) return misuse(chosen.error().message);
  const auto address = http::parse_address(*flags.address);
  if (!address) return misuse(address.error().message);
  std::signal(SIGPIPE, SIG_IGN);
  const Signals signals(Signals::Watch::ends);

  auto server = http::Server::listen(
      *address, {.token = chosen->token, .hosts = flags.hosts, .origins = flags.origins},
      limits_here());
  if (!server) return misuse(server.error().message);
  auto core = mcp::Server::create(std::move(options));
  if (!core) return misuse(core.error().message);
  // Nobody is told of a server that cannot run anything.
  if (const auto checked = check((*core)->executor()); !checked) {
    return misuse(checked.error().message);
  }
  http::McpEndpoint endpoint(**core);
  (*server)->route(std::string(http::McpEndpoint::kPath), endpoint.route());
  (*server)->start();
  announce(**server, *chosen);
  wait_for_signal(signals);
  // With its handlers, which use the core.
  server->reset();
  (*core)->close();
  return 0;
}

}  // namespace cellblock::cli

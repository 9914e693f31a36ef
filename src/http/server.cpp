#include "http/server.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <exception>
#include <map>
#include <thread>
#include <utility>

#include "http/connection.hpp"
#include "http/connections.hpp"
#include "rpc/workers.hpp"

namespace cellblock::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// Taken at once before others get their turn.
constexpr int kMaxAccepts = 64;
constexpr std::chrono::milliseconds kNoDescriptorPause{50};
// What the kernel holds for a client that reads slowly.
constexpr int kSendBuffer = 256 << 10;

bool is_json(const std::optional<std::string>& type) {
  if (!type) return false;
  std::string_view name = std::string_view(*type).substr(0, type->find(';'));
  while (name.ends_with(' ')) name.remove_suffix(1);
  return same_name(name, "application/json");
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

void call_handler(const Handler& handler, const std::shared_ptr<Exchange>& exchange) {
  try {
    handler(exchange);
  } catch (const std::exception& error) {
    exchange->respond(
        refusal(500, std::string("The request failed inside Cellblock: ") + error.what() + "."));
  }
}

}  // namespace

struct Server::State {
  State(Listener given, Access rules, const Limits& bounds)
      : limits(bounds),
        access(std::move(rules)),
        address(given.address),
        loopback(given.loopback),
        protocol(given.v6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4()),
        listener(io, given.socket.release()),
        pause(io),
        workers(limits.max_handlers) {
    shared.scratch.resize(64U << 10);
  }

  [[nodiscard]] std::optional<Response> refuse(const Request& head) const;
  void serve(const std::shared_ptr<Answer>& answer);
  void wait_for_connection();
  void accept();
  bool accept_one();
  void add(int socket);

  const Limits limits;
  const Access access;
  const Address address;
  const bool loopback;
  const asio::ip::tcp protocol;
  std::map<std::string, Route, std::less<>> routes;

  asio::io_context io{1};
  asio::posix::stream_descriptor listener;
  asio::steady_timer pause;
  Connections connections;
  Shared shared{.limits = limits,
                .access = access,
                .connections = connections,
                .refuse = [this](const Request& head) { return refuse(head); },
                .serve = [this](const std::shared_ptr<Answer>& answer) { serve(answer); }};
  rpc::Workers workers;
  std::thread thread;
};

std::optional<Response> Server::State::refuse(const Request& head) const {
  const auto found = routes.find(head.path);
  if (found == routes.end()) return refusal(404, "There is nothing at this path.");
  const auto& methods = found->second.methods;
  if (std::find(methods.begin(), methods.end(), head.method) == methods.end()) {
    return refusal(405, "This path takes " + joined(methods) + " only.",
                   {{"Allow", joined(methods)}});
  }
  if (head.method == "POST") {
    if (!is_json(head.header("Content-Type"))) {
      return refusal(415, "The body of a POST is JSON: Content-Type: application/json.");
    }
    const auto encoding = head.header("Content-Encoding");
    if (encoding && !same_name(*encoding, "identity")) {
      return refusal(415, "The body must not be compressed.");
    }
  } else if (head.header("Transfer-Encoding") ||
             head.header("Content-Length").value_or("0") != "0") {
    return refusal(400, "Only a POST has a body.");
  }
  return std::nullopt;
}

void Server::State::serve(const std::shared_ptr<Answer>& answer) {
  // Routes do not change once the server runs.
  const Handler& handler = routes.find(answer->request().path)->second.handler;
  const auto exchange = Answer::handle(answer);
  if (!workers.run([&handler, exchange] { call_handler(handler, exchange); })) {
    exchange->respond(
        refusal(503, "Too many requests are under way; try again soon.", {{"Retry-After", "1"}}));
  }
}

void Server::State::wait_for_connection() {
  listener.async_wait(asio::posix::stream_descriptor::wait_read, [this](const error_code& failure) {
    if (!failure) accept();
  });
}

void Server::State::accept() {
  for (int i = 0; i < kMaxAccepts; ++i) {
    if (accept_one()) continue;
    if (errno == EAGAIN) break;
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) continue;
    // Somebody else's descriptors: make room, or wait a little rather than spin.
    if (const auto evicted = connections.to_evict()) {
      evicted->end();
      continue;
    }
    pause.expires_after(kNoDescriptorPause);
    return pause.async_wait([this](const error_code& failure) {
      if (!failure) wait_for_connection();
    });
  }
  wait_for_connection();
}

bool Server::State::accept_one() {
  // Not asio's own: no child of this process may inherit it.
  const int socket =
      ::accept4(listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) return false;
  ::setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof(kSendBuffer));
  if (connections.size() >= limits.max_connections) {
    if (const auto evicted = connections.to_evict()) evicted->end();
  }
  if (connections.size() >= limits.max_connections) {
    const std::string bytes =
        to_bytes(refusal(503, "Too many connections are open; try again soon."), After::close);
    ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    ::close(socket);
    return true;
  }
  add(socket);
  return true;
}

void Server::State::add(int socket) {
  asio::ip::tcp::socket wrapped(io);
  error_code failure;
  wrapped.assign(protocol, socket, failure);
  if (failure) {
    ::close(socket);
    return;
  }
  error_code ignored;
  wrapped.set_option(asio::ip::tcp::no_delay(true), ignored);
  std::make_shared<Connection>(io, std::move(wrapped), shared)->start();
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}

Server::~Server() { stop(); }

Expected<std::unique_ptr<Server>> Server::listen(const Address& address, Access::Options access,
                                                 const Limits& limits) {
  auto listener = listen_on(address);
  if (!listener) return std::move(listener).error();
  auto rules = Access::create(*listener, std::move(access));
  if (!rules) return std::move(rules).error();
  return std::unique_ptr<Server>(
      new Server(std::make_unique<State>(std::move(*listener), std::move(*rules), limits)));
}

void Server::route(std::string path, Route route) {
  state_->routes.insert_or_assign(std::move(path), std::move(route));
}

void Server::start() {
  state_->wait_for_connection();
  state_->thread = std::thread([&io = state_->io] {
    const auto work = asio::make_work_guard(io);
    io.run();
  });
}

void Server::stop() {
  if (!state_->thread.joinable()) return;
  asio::post(state_->io, [&state = *state_] {
    state.listener.close();
    state.pause.cancel();
    while (const auto connection = state.connections.any()) connection->end();
    state.io.stop();
  });
  state_->thread.join();
}

const Address& Server::address() const { return state_->address; }

bool Server::loopback() const { return state_->loopback; }

}  // namespace cellblock::http

// A small HTTP/1.1 server for this machine's own clients, hardened against everybody else.
//
//     auto server = http::Server::listen(*http::parse_address("127.0.0.1:0"), {.token = token});
//     (*server)->route("/mcp", {.methods = {"POST"}, .handler = …});
//     (*server)->start();
//
// What every request has to show, whatever its route, is in access.hpp; what one client may use up
// in limits.hpp. One thread moves all bytes; handlers run on others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/access.hpp"
#include "http/address.hpp"
#include "http/exchange.hpp"
#include "http/limits.hpp"

namespace cellblock::http {

struct Route {
  std::vector<std::string> methods;  ///< a POST has a body in JSON, others have none
  Handler handler;
};

class Server final {
 public:
  /// Binds, and takes connections from start() on. Error kinds: bad_argument, host_error.
  static Expected<std::unique_ptr<Server>> listen(const Address& address, Access::Options access,
                                                  const Limits& limits = {});
  /// stop(), and waits for the handlers to return.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Before start(). `path` is matched as it stands.
  void route(std::string path, Route route);
  void start();
  /// Cuts every client off, which tells their requests so. Exchanges may be kept; they are of no
  /// use any more.
  void stop();

  /// With the real port.
  [[nodiscard]] const Address& address() const;
  /// Whether only this machine can reach it.
  [[nodiscard]] bool loopback() const;

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace cellblock::http

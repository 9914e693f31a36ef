// Who may speak to the server: what is asked of every request, whatever its route.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/address.hpp"
#include "http/message.hpp"
#include "http/token.hpp"

namespace cellblock::http {

/// Immutable; thread-safe.
class Access final {
 public:
  struct Options {
    /// None: nobody has to show one. Only for a loopback address.
    std::optional<Token> token;
    /// Further values of Host, as "name" or "name:port", and of Origin, as "https://name:port".
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
  };

  /// Error kind: bad_argument.
  static Expected<Access> create(const Listener& listener, Options options);

  /// The answer to a request that is refused: Host names another server (421), Origin is not ours
  /// or a browser says that another site asks (403), the token is missing or wrong (401).
  [[nodiscard]] std::optional<Response> refuse(const Request& request) const;

 private:
  Access(const Address& address, Options options);

  Options options_;
};

}  // namespace cellblock::http

// Where a server listens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::http {

struct Address {
  std::string host = "127.0.0.1";  ///< a number or a name, without brackets
  std::uint16_t port = 0;          ///< 0: the kernel chooses
};

/// "HOST:PORT", "[::1]:PORT", or "PORT" for 127.0.0.1. Error kind: bad_argument.
Expected<Address> parse_address(std::string_view text);

/// As it stands in URLs and Host: "127.0.0.1:80", "[::1]:80".
std::string authority(const Address& address);

struct Listener {
  base::UniqueFd socket;  ///< non-blocking, close-on-exec
  Address address;        ///< as it was asked for, with the real port
  bool loopback = false;  ///< nobody outside this machine can reach it
  bool v6 = false;        ///< the socket's family
};

/// Error kinds: bad_argument (no such address here, or the port is taken), host_error.
Expected<Listener> listen_on(const Address& address);

}  // namespace cellblock::http

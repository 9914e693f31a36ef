#include "http/address.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace cellblock::http {
namespace {

Error not_an_address(std::string_view text) {
  return {ErrorKind::bad_argument, "\"" + std::string(text.substr(0, 80)) +
                                       "\" is no address to listen on; write 127.0.0.1:PORT, with "
                                       "port 0 for a free one."};
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) != 0;
}

Expected<std::uint16_t> port_of(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    return Error{ErrorKind::host_error,
                 std::string("Cannot read the port: ") + std::strerror(errno) + "."};
  }
  // The port stands at the same place for both families.
  return ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
}

}  // namespace

Expected<Address> parse_address(std::string_view text) {
  Address address;
  std::string_view port = text;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
      host = host.substr(1, host.size() - 2);
    } else if (host.empty() || host.find_first_of(":[]*") != std::string_view::npos) {
      return not_an_address(text);
    }
    address.host = host;
  }
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || failure != std::errc() || end != port.data() + port.size()) {
    return not_an_address(text);
  }
  return address;
}

std::string authority(const Address& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

Expected<Listener> listen_on(const Address& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failure =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &list);
  if (failure != 0) {
    return Error{ErrorKind::bad_argument, "There is no address \"" + address.host +
                                              "\" to listen on: " + ::gai_strerror(failure) + "."};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(list, ::freeaddrinfo);
  Listener listener{.address = address,
                    .loopback = is_loopback(*found->ai_addr),
                    .v6 = found->ai_family == AF_INET6};
  listener.socket.reset(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!listener.socket ||
      ::setsockopt(listener.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      ::bind(listener.socket.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(listener.socket.get(), SOMAXCONN) != 0) {
    return Error{ErrorKind::bad_argument, "Cannot listen on " + authority(address) + ": " +
                                              std::strerror(errno) +
                                              ". Choose another address or port."};
  }
  auto port = port_of(listener.socket.get());
  if (!port) return std::move(port).error();
  listener.address.port = *port;
  return listener;
}

}  // namespace cellblock::http

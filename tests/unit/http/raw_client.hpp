// A client that sends what it is told to, and reads what comes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace cellblock::http {

class RawClient final {
 public:
  explicit RawClient(std::uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }

  [[nodiscard]] bool connected() const { return connected_; }
  /// False: the server has closed.
  [[nodiscard]] bool send(std::string_view bytes) const {
    return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// Everything up to `end` and what came with it, or up to the server's end of the connection.
  std::string read_until(std::string_view end, int patience_ms = 30'000) {
    std::string text;
    while (text.find(end) == std::string::npos) {
      pollfd wait{socket_.get(), POLLIN, 0};
      if (::poll(&wait, 1, patience_ms) != 1) return text + "(nothing more came)";
      std::string piece(65'536, '\0');
      const ssize_t count = ::recv(socket_.get(), piece.data(), piece.size(), 0);
      if (count <= 0) {
        closed_ = true;
        return text;
      }
      text.append(piece, 0, static_cast<std::size_t>(count));
    }
    return text;
  }
  /// Whether the server closes within the time, whatever it says before.
  bool closes(int patience_ms = 30'000) {
    read_until("\x01never\x01", patience_ms);
    return closed_;
  }
  void finish_sending() const { ::shutdown(socket_.get(), SHUT_WR); }
  void close() { socket_.reset(); }

 private:
  base::UniqueFd socket_;
  bool connected_ = false;
  bool closed_ = false;
};

}  // namespace cellblock::http

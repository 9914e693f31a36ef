#include "raw_echo.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/socket.hpp"

namespace cellblock::bench {
namespace {

using Message = std::array<char, 1024>;

bool receive_whole(int socket, Message& message) {
  return ::recv(socket, message.data(), message.size(), MSG_WAITALL) ==
         static_cast<ssize_t>(message.size());
}

bool send_whole(int socket, const Message& message) {
  return base::send_all(socket, {message.data(), message.size()});
}

}  // namespace

RawEcho::RawEcho() {
  auto [here, there] = base::make_socket_pair();
  pid_ = ::fork();
  if (pid_ == 0) {
    here.reset();
    Message message{};
    while (receive_whole(there.get(), message) && send_whole(there.get(), message)) {
    }
    ::_exit(0);
  }
  socket_ = std::move(here);
}

RawEcho::~RawEcho() {
  socket_.reset();
  ::waitpid(pid_, nullptr, 0);
}

bool RawEcho::round_trip() {
  Message message{};
  return send_whole(socket_.get(), message) && receive_whole(socket_.get(), message);
}

}  // namespace cellblock::bench

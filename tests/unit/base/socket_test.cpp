#include "base/socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace cellblock::base;

namespace {

/// Everything until the other end closes.
std::string receive_all(int socket, std::vector<UniqueFd>& descriptors) {
  std::string bytes;
  while (receive_some(socket, bytes, descriptors, 4096) == IoStatus::ok) {
  }
  return bytes;
}

}  // namespace

TEST_CASE("Descriptors travel with the bytes and mean the same files") {
  auto [left, right] = make_socket_pair();
  auto [reading, writing] = make_pipe();
  REQUIRE(send_all(left.get(), "here", std::array{writing.get(), reading.get()}));
  writing.reset();

  std::string bytes;
  std::vector<UniqueFd> descriptors;
  REQUIRE(receive_some(right.get(), bytes, descriptors) == IoStatus::ok);
  CHECK(bytes == "here");
  REQUIRE(descriptors.size() == 2);
  CHECK((::fcntl(descriptors[0].get(), F_GETFD) & FD_CLOEXEC) != 0);
  REQUIRE(::write(descriptors[0].get(), "through", 7) == 7);
  std::array<char, 7> got{};
  REQUIRE(::read(reading.get(), got.data(), got.size()) == 7);
  CHECK(std::string(got.data(), got.size()) == "through");
}

TEST_CASE("What is sent is appended to what was there, and descriptors go once") {
  auto [left, right] = make_socket_pair();
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::string bytes = "old ";
  std::vector<UniqueFd> descriptors;
  REQUIRE(send_all(left.get(), "new", std::array{null.get()}));
  REQUIRE(receive_some(right.get(), bytes, descriptors, 1) == IoStatus::ok);
  REQUIRE(receive_some(right.get(), bytes, descriptors) == IoStatus::ok);
  CHECK(bytes == "old new");
  CHECK(descriptors.size() == 1);
}

TEST_CASE("A send waits until a full socket has taken everything") {
  FdPair sockets = make_socket_pair();
  UniqueFd& left = sockets.first;
  UniqueFd& right = sockets.second;
  const bool nonblocking = GENERATE(false, true);
  if (nonblocking) ::fcntl(left.get(), F_SETFL, O_NONBLOCK);
  std::string sent(8 << 20, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>(i * 31 >> 8);
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  bool ok = false;
  std::thread sender([&] {
    ok = send_all(left.get(), sent, std::array{null.get()});
    left.reset();
  });
  std::vector<UniqueFd> descriptors;
  const std::string got = receive_all(right.get(), descriptors);
  sender.join();
  CHECK(ok);
  CHECK(got == sent);
  CHECK(descriptors.size() == 1);
}

TEST_CASE("One send without waiting takes a part and then says that it would block") {
  auto [left, right] = make_socket_pair();
  const std::string bytes(64 << 20, 'x');
  std::size_t written = 0;
  REQUIRE(send_some(left.get(), bytes, written) == IoStatus::ok);
  CHECK(written > 0);
  CHECK(written < bytes.size());
  std::size_t more = 99;
  IoStatus status = IoStatus::ok;
  for (int i = 0; i < 1000 && status == IoStatus::ok; ++i) {
    status = send_some(left.get(), bytes, more);
  }
  CHECK(status == IoStatus::would_block);
  CHECK(more == 0);
}

TEST_CASE("A closed peer is an answer, not a signal") {
  auto [left, right] = make_socket_pair();
  right.reset();
  std::size_t written = 0;
  CHECK(send_some(left.get(), "x", written) == IoStatus::closed);
  errno = 0;
  CHECK_FALSE(send_all(left.get(), "x"));
  CHECK(errno == EPIPE);
  std::string bytes;
  std::vector<UniqueFd> descriptors;
  CHECK(receive_some(left.get(), bytes, descriptors) == IoStatus::closed);
}

TEST_CASE("An empty socket that does not wait would block, a bad descriptor fails") {
  auto [left, right] = make_socket_pair();
  ::fcntl(left.get(), F_SETFL, O_NONBLOCK);
  std::string bytes;
  std::vector<UniqueFd> descriptors;
  CHECK(receive_some(left.get(), bytes, descriptors) == IoStatus::would_block);
  CHECK(receive_some(-1, bytes, descriptors) == IoStatus::failed);
  CHECK(bytes.empty());
}

TEST_CASE("More descriptors than a message carries are refused before anything is sent") {
  auto [left, right] = make_socket_pair();
  const std::vector<int> many(17, left.get());
  CHECK_FALSE(send_all(left.get(), "x", many));
  CHECK(errno == EINVAL);
  ::fcntl(right.get(), F_SETFL, O_NONBLOCK);
  std::string bytes;
  std::vector<UniqueFd> descriptors;
  CHECK(receive_some(right.get(), bytes, descriptors) == IoStatus::would_block);
}

TEST_CASE("Descriptors beyond the room for them are closed, not leaked") {
  auto [left, right] = make_socket_pair();
  // More than receive_some has room for, sent around send_all.
  std::array<int, 32> fds{};
  fds.fill(left.get());
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(fds))> control{};
  iovec part{.iov_base = const_cast<char*>("x"), .iov_len = 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(fds));
  std::copy(fds.begin(), fds.end(), reinterpret_cast<int*>(CMSG_DATA(header)));
  const UniqueFd before(::dup(0));
  REQUIRE(::sendmsg(left.get(), &message, 0) == 1);
  std::string bytes;
  {
    std::vector<UniqueFd> descriptors;
    REQUIRE(receive_some(right.get(), bytes, descriptors) == IoStatus::ok);
    CHECK(descriptors.size() == 16);
  }
  const UniqueFd after(::dup(0));
  CHECK(after.get() == before.get() + 1);
}

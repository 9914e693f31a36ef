#include "base/unique_fd.hpp"

#include <fcntl.h>

#include <utility>

#include "base/pidfd.hpp"
#include "base/random_id.hpp"
#include "base/socket.hpp"
#include "support/catch.hpp"

using namespace cellblock::base;

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

UniqueFd open_null() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

TEST_CASE("A descriptor is closed with its owner") {
  int number = -1;
  {
    const UniqueFd fd = open_null();
    number = fd.get();
    REQUIRE(is_open(number));
  }
  CHECK_FALSE(is_open(number));
}

TEST_CASE("A move hands the descriptor on and leaves nothing behind") {
  UniqueFd first = open_null();
  const int number = first.get();
  UniqueFd second(std::move(first));
  CHECK_FALSE(first);  // NOLINT: that it owns nothing is the claim
  CHECK(second.get() == number);

  UniqueFd third = open_null();
  const int replaced = third.get();
  third = std::move(second);
  CHECK(third.get() == number);
  CHECK(is_open(number));
  CHECK_FALSE(is_open(replaced));
}

TEST_CASE("A move onto itself keeps the descriptor open") {
  UniqueFd fd = open_null();
  UniqueFd& same = fd;
  fd = std::move(same);
  REQUIRE(fd);
  CHECK(is_open(fd.get()));
}

TEST_CASE("A released descriptor stays open, a reset one does not") {
  UniqueFd fd = open_null();
  const int number = fd.release();
  CHECK_FALSE(fd);
  CHECK(is_open(number));
  fd.reset(number);
  fd.reset();
  CHECK_FALSE(is_open(number));
}

TEST_CASE("What this library opens is not handed to other programs") {
  const auto [left, right] = make_socket_pair();
  const auto [reading, writing] = make_pipe();
  const UniqueFd process = open_pidfd(::getpid());
  for (const UniqueFd* fd : {&left, &right, &reading, &writing, &process}) {
    REQUIRE(*fd);
    CHECK((::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC) != 0);
  }
}

TEST_CASE("Random names differ and have 128 bits after their prefix") {
  const auto one = random_id("s-");
  CHECK(one.size() == 34);
  CHECK(one.starts_with("s-"));
  CHECK(one.find_first_not_of("0123456789abcdef", 2) == std::string::npos);
  CHECK(one != random_id("s-"));
}

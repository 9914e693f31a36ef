#include "rpc/line_reader.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <thread>

#include "base/socket.hpp"
#include "support/catch.hpp"

namespace cellblock::rpc {
namespace {

using Got = LineReader::Got;

struct Input {
  base::FdPair pipe = base::make_pipe();
  base::UniqueFd wake{::eventfd(0, EFD_CLOEXEC)};
  LineReader reader{pipe.first.get(), wake.get(), 10};
  std::string line;

  void write(std::string_view text) const {
    REQUIRE(::write(pipe.second.get(), text.data(), text.size()) ==
            static_cast<ssize_t>(text.size()));
  }
};

TEST_CASE("lines come without their newline, the last one too") {
  Input input;
  input.write("one\n\ntwo\nlast");
  input.pipe.second.reset();
  for (const auto* expected : {"one", "", "two", "last"}) {
    REQUIRE(input.reader.next(input.line) == Got::line);
    CHECK(input.line == expected);
  }
  CHECK(input.reader.next(input.line) == Got::end);
  CHECK(input.reader.next(input.line) == Got::end);
}

TEST_CASE("a line may have exactly the limit") {
  Input input;
  input.write("0123456789\n0123456789a\nok\n");
  CHECK(input.reader.next(input.line) == Got::line);
  CHECK(input.reader.next(input.line) == Got::too_long);
  CHECK(input.reader.next(input.line) == Got::line);
  CHECK(input.line == "ok");
}

TEST_CASE("of a line that is far too long nothing is kept") {
  Input input;
  std::thread writer([&input] {
    for (int i = 0; i < 100; ++i) input.write(std::string(60'000, 'x'));
    input.write("\nnext\n");
  });
  CHECK(input.reader.next(input.line) == Got::too_long);
  CHECK(input.reader.next(input.line) == Got::line);
  CHECK(input.line == "next");
  writer.join();
}

TEST_CASE("a long line that never ends is told once") {
  Input input;
  input.write("0123456789abcdef");
  input.pipe.second.reset();
  CHECK(input.reader.next(input.line) == Got::too_long);
  CHECK(input.reader.next(input.line) == Got::end);
}

TEST_CASE("waking ends the reading, whatever is there") {
  Input input;
  input.write("half a");
  ::eventfd_write(input.wake.get(), 1);
  CHECK(input.reader.next(input.line) == Got::end);
}

TEST_CASE("a closed other side shows even before its lines are read") {
  Input input;
  input.write("line\n");
  CHECK(!input.reader.hung_up());
  input.pipe.second.reset();
  CHECK(input.reader.hung_up());
  CHECK(input.reader.next(input.line) == Got::line);
}

}  // namespace
}  // namespace cellblock::rpc

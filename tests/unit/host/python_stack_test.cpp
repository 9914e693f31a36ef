#include "host/python_stack.hpp"

#include "base/utf8.hpp"
#include "support/catch.hpp"

using namespace cellblock::host;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kTwoThreads =
    "Current thread 0x00007f0000000001 (most recent call first):\n"
    "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n"
    "  File \"<cell 2>\", line 1 in work\n"
    "\n"
    "Thread 0x00007f0000000000 (most recent call first):\n"
    "  File \"<cell 3>\", line 2 in spin\n"
    "  File \"<cell 3>\", line 9 in <module>\n"
    "  File \"<cellblock_runtime/execution.py>\", line 88 in _run_segments\n";

}  // namespace

TEST_CASE("The cell's thread is told, the newest call last, without the machinery") {
  const auto stack = read_python_stack(kTwoThreads, StackOf::cell);
  CHECK(stack.traceback ==
        "Traceback (most recent call last):\n"
        "  File \"<cell 3>\", line 9, in <module>\n"
        "  File \"<cell 3>\", line 2, in spin");
  CHECK_FALSE(stack.is_deep);
}

TEST_CASE("Of a crash the thread that was hit is told") {
  const auto stack = read_python_stack(
      std::string("Fatal Python error: Segmentation fault\n\n") + kTwoThreads, StackOf::crash);
  CHECK_THAT(stack.traceback, ContainsSubstring("line 1, in work\n"));
  CHECK_THAT(stack.traceback, !ContainsSubstring("spin"));
}

TEST_CASE("Of several dumps the last one is told") {
  const std::string older =
      "Current thread 0x01 (most recent call first):\n"
      "  File \"<cell 1>\", line 1 in old\n"
      "  File \"<cellblock_runtime/execution.py>\", line 88 in _run_segments\n";
  CHECK_THAT(read_python_stack(older + kTwoThreads, StackOf::cell).traceback,
             !ContainsSubstring("old"));
}

TEST_CASE("A stack of more frames than are written is deep, and is told in bounds") {
  std::string dump = "Current thread 0x01 (most recent call first):\n";
  for (int i = 0; i < 100; ++i) dump += "  File \"<cell 1>\", line 1 in f\n";
  CHECK_FALSE(read_python_stack(dump, StackOf::crash).is_deep);
  dump += "  ...\n";
  const auto stack = read_python_stack(dump, StackOf::crash);
  CHECK(stack.is_deep);
  CHECK_THAT(stack.traceback, ContainsSubstring("[older frames left out]"));
  CHECK(stack.traceback.size() < 2000);
}

TEST_CASE("What is no stack is no traceback, and a hostile one stays text in bounds") {
  for (const char* dump : {"", "\n", "x", "Current thread 0x", "  File \"a\", line 1 in b\n",
                           "Thread 0x01 (most recent call first):\n  <no Python frame>\n"}) {
    INFO(dump);
    CHECK(read_python_stack(dump, StackOf::cell).traceback.empty());
  }
  std::string dump = "Current thread 0x1\n  File \"" + std::string(60'000, '\xff') + "\n";
  const auto stack = read_python_stack(dump, StackOf::cell);
  CHECK(stack.traceback == cellblock::base::to_valid_utf8(stack.traceback));
  CHECK(stack.traceback.size() < 2000);
}

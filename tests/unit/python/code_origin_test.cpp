#include "python/code_origin.hpp"

#include "support/catch.hpp"

namespace cellblock::python {
namespace {

const CodeOrigins kOrigins({"/usr/lib/python3.11", "/usr/lib/python3/dist-packages", "", "/",
                            "rel"},
                           "/workspace");

TEST_CASE("Cells, their strings and the workspace's modules are user code") {
  for (const char* name : {"<cell 1>", "<cell 3.2>", "<string>", "<stdin>", "", "x.py", "../x.py",
                           "/workspace/helper.py", "/workspace/a/b.py", "/home/u/x.py", "/x.py"}) {
    INFO(name);
    CHECK(kOrigins.of(name) == Origin::user);
  }
}

TEST_CASE("What is installed, frozen or ours is a library's") {
  for (const char* name : {"/usr/lib/python3.11/json/decoder.py",
                           "/usr/lib/python3/dist-packages/pandas/core/frame.py", "<frozen os>",
                           "<frozen zipimport>", "<cellblock_runtime/execution.py>"}) {
    INFO(name);
    CHECK(kOrigins.of(name) == Origin::library);
  }
}

TEST_CASE("The import system acts for whoever called it") {
  for (const char* name :
       {"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>",
        "/usr/lib/python3.11/importlib/__init__.py", "<__array_function__ internals>"}) {
    INFO(name);
    CHECK(kOrigins.of(name) == Origin::machinery);
  }
  CHECK(kOrigins.of("/workspace/importlib/__init__.py") == Origin::user);
}

TEST_CASE("A folder's name is no prefix of a neighbour's") {
  CHECK(kOrigins.of("/usr/lib/python3.11x/json.py") == Origin::user);
  CHECK(kOrigins.of("/usr/lib/python3.11") == Origin::user);
  CHECK(CodeOrigins({"/work"}, "/work/space").of("/work/space/x.py") == Origin::user);
  CHECK(CodeOrigins({"/work"}, "/work/space").of("/work/spaces/x.py") == Origin::library);
}

TEST_CASE("Modules that only pass a call on are known by their files") {
  for (const char* name :
       {"<frozen os>", "/usr/lib/python3.11/os.py", "/usr/lib/python3.11/subprocess.py",
        "/usr/lib/python3.11/socket.py", "/usr/lib/python3.11/pty.py",
        "/usr/lib/python3.11/ctypes/__init__.py"}) {
    INFO(name);
    CHECK(passes_on_calls(name));
  }
  CHECK_FALSE(passes_on_calls("/usr/lib/python3.11/platform.py"));
  CHECK_FALSE(passes_on_calls("/usr/lib/python3.11/asyncio/subprocess_x.py"));
}

}  // namespace
}  // namespace cellblock::python

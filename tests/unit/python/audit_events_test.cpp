#include "python/audit_events.hpp"

#include "support/catch.hpp"

namespace cellblock::python {
namespace {

TEST_CASE("Calls that no import shows are known by their audit events") {
  for (const char* event :
       {"os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen",
        "pty.spawn", "socket.__new__", "socket.connect", "ctypes.dlopen", "sys.addaudithook",
        "sqlite3.load_extension", "cpython.run_file", "cpython.run_command"}) {
    INFO(event);
    CHECK(find_audited_call(event) != nullptr);
  }
}

TEST_CASE("Every other event passes") {
  for (const char* event :
       {"", "open", "import", "exec", "compile", "os.listdir", "os.remove", "os.putenv",
        "object.__getattr__", "sys._getframe", "sys.settrace", "sqlite3.connect", "code.__new__",
        "pickle.find_class", "os.execute", "os.forks", "socket", "ctypes", "shutil.rmtree"}) {
    INFO(event);
    CHECK(find_audited_call(event) == nullptr);
  }
}

TEST_CASE("A module lifts its own events, `os` none") {
  CHECK(find_audited_call("os.system")->lifted_by == "subprocess");
  CHECK(find_audited_call("socket.bind")->lifted_by == "socket");
  CHECK(find_audited_call("ctypes.dlsym")->lifted_by == "ctypes");
  CHECK(find_audited_call("sqlite3.load_extension")->lifted_by == "ctypes");
  CHECK(find_audited_call("sys.addaudithook")->lifted_by.empty());
}

}  // namespace
}  // namespace cellblock::python

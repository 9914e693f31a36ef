#include "python/audit_events.hpp"

#include <algorithm>

namespace cellblock::python {
namespace {

// What starts a process goes with `subprocess`, what loads native code with `ctypes`.
constexpr std::array kCalls{
    AuditedCall{"os.system", "subprocess", {"system"}, false},
    AuditedCall{"os.exec", "subprocess", {"execv", "execve"}, false},
    AuditedCall{"os.fork", "subprocess", {"fork"}, false},
    AuditedCall{"os.forkpty", "subprocess", {"forkpty"}, false},
    AuditedCall{"os.posix_spawn", "subprocess", {"posix_spawn", "posix_spawnp"}, false},
    AuditedCall{"subprocess.Popen", "subprocess", {}, false},
    AuditedCall{"pty.spawn", "pty", {}, false},
    AuditedCall{"socket.", "socket", {}, false},
    AuditedCall{"ctypes.", "ctypes", {}, true},
    AuditedCall{"sqlite3.load_extension", "ctypes", {"load_extension"}, false},
    AuditedCall{"sqlite3.enable_load_extension", "ctypes", {"enable_load_extension"}, false},
    AuditedCall{"sys.addaudithook", "", {"addaudithook"}, false},
    AuditedCall{"cpython.run_", "", {}, false},
};

bool matches(const AuditedCall& call, std::string_view event) {
  const char last = call.event.back();
  return last == '.' || last == '_' ? event.substr(0, call.event.size()) == call.event
                                    : event == call.event;
}

}  // namespace

const AuditedCall* find_audited_call(std::string_view event) {
  if (event.size() < 7) return nullptr;  // "import", "open", "exec"
  const char first = event[0];
  if (first != 'o' && first != 's' && first != 'c' && first != 'p') return nullptr;
  const auto* found = std::find_if(kCalls.begin(), kCalls.end(), [&](const AuditedCall& call) {
    return call.event[0] == first && call.event[1] == event[1] && matches(call, event);
  });
  return found == kCalls.end() ? nullptr : found;
}

}  // namespace cellblock::python

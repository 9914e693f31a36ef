// What the chaos test runs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace cellblock::test {

/// What may come of an execution that nothing disturbs.
struct Kind {
  const char* name;
  std::string code;
  std::vector<std::string> ends;  // "status/cause"
  std::optional<std::chrono::milliseconds> timeout;
};

inline std::vector<Kind> kinds() {
  const auto soon = std::optional(std::chrono::milliseconds(200));
  return {
      {"succeed", "n = 21\nprint('out')\nn * 2", {"ok/null"}, {}},
      {"succeed",
       "import math, json\nkept = [math.pi] * 1000\nlen(json.dumps(kept)) > 10",
       {"ok/null"},
       {}},
      {"fail", "1 / 0", {"error/exception"}, {}},
      {"misspell", "for in range", {"error/syntax"}, {}},
      {"sys_exit", "import sys\nsys.exit(3)", {"exit/exit"}, {}},
      {"os_exit", "import os\nos._exit(7)", {"exit/exit"}, {}},
      {"loop", "while True: pass", {"timeout/wall_time"}, soon},
      {"sleep", "import time\ntime.sleep(300)", {"timeout/wall_time"}, soon},
      {"stubborn",
       "import time\nwhile True:\n    try: time.sleep(60)\n    except BaseException: pass",
       {"timeout/wall_time"},
       soon},
      {"c_loop", "sum(range(10 ** 12))", {"timeout/wall_time"}, soon},
      {"stop",
       "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nwhile True: pass",
       {"timeout/wall_time"},
       soon},
      {"crash", "import os\nos.kill(os.getpid(), 11)\nwhile True: pass", {"crashed/signal"}, {}},
      {"abort", "import os\nos.abort()", {"crashed/signal"}, {}},
      {"violate", "import os\nos.close(3)", {"crashed/protocol"}, {}},
      {"flood",
       "line = 'x' * 999 + '\\n'\nfor _ in range(3000): print(line, end='')",
       {"ok/null"},
       {}},
      {"display", "for n in range(20): display({'n': n})", {"ok/null"}, {}},
      {"hoard",
       // In a frame of its own: an interrupt cannot come between the error and letting go.
       "def hoard():\n    kept = []\n    while True: kept.append(b'h' * (1 << 20))\nhoard()",
       {"error/memory", "memory_limit/memory"},
       {}},
      {"recurse", "def f(): return f()\nf()", {"error/stack_overflow"}, {}},
      {"write", "with open('big', 'wb') as file: file.write(b'w' * 300_000)", {"ok/null"}, {}},
      {"fill",
       "import os\npiece = b'f' * (1 << 18)\ntry:\n"
       "    with open('full', 'wb') as file:\n        while True: file.write(piece)\n"
       "finally: os.remove('full')",
       {"error/disk_full", "error/file_size"},
       {}},
      {"thread",
       "import threading, time\n"
       "threading.Thread(target=lambda: (time.sleep(0.05), print('late')), daemon=True).start()",
       {"ok/null"},
       {}},
  };
}

}  // namespace cellblock::test

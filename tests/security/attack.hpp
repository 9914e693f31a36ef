// An attack as data: what hostile code tries, what it must see, and what else would have held it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cellblock/result.hpp"

namespace cellblock::test {

/// The session's process was ended; its successor answers the next cell.
struct Ending {
  Status status;
  Cause cause;
  int exit_code;
};

/// With a layer switched off, another one holds the same attack.
struct AlsoHeld {
  std::string without;
  std::string by;
  std::string answer;
  std::optional<Ending> ending = std::nullopt;
};

struct Attack {
  std::string id;  ///< of the table in docs/security.md
  std::string kind;
  /// Python, behind kPrelude; it prints what it saw.
  std::string code;
  /// What is printed, without the last newline; alternatives stand apart by " | ".
  std::string answer;
  std::string held_by;
  std::vector<AlsoHeld> also_held = {};
  std::optional<Ending> ending = std::nullopt;
  std::string afterwards = {};  ///< a cell that puts the session in order again
};

/// tried(act, ...) and call(number, ...) answer with the error's name, or "done"; say() prints the
/// different answers.
inline constexpr const char* kPrelude = R"(
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def name_of(number):
    return errno.errorcode.get(number, str(number))
def tried(act, *arguments, **named):
    try:
        act(*arguments, **named)
    except OSError as problem:
        return name_of(problem.errno) if (problem.errno or 0) > 0 else type(problem).__name__
    except BaseException as problem:
        return type(problem).__name__
    return 'done'
def call(number, *arguments):
    ctypes.set_errno(0)
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *words)
    return name_of(ctypes.get_errno()) if result == -1 else 'done'
def say(*answers):
    print(*sorted(set(map(str, answers))))
)";

}  // namespace cellblock::test

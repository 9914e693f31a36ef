// Whose code a code object is, judged by the file name that it was compiled under.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cellblock::python {

enum class Origin {
  user,       ///< cells, what they exec, modules of the workspace, code made of strings
  library,    ///< what is installed, and our own runtime
  machinery,  ///< the import system and dispatchers that act for whoever called them
};

/// Whose code is of unknown origin: the user's, or in an interpreter that a host program uses as
/// well, the program's.
enum class Strangers { users, hosts };

class CodeOrigins final {
 public:
  CodeOrigins() = default;
  /// `library_paths`: absolute folders (or archives) of installed code. What lies in `workspace`
  /// is the user's even below them.
  CodeOrigins(std::vector<std::string> library_paths, std::string workspace,
              Strangers strangers = Strangers::users);

  [[nodiscard]] Origin of(std::string_view filename) const;

 private:
  std::vector<std::string> library_paths_;
  std::string workspace_;
  Strangers strangers_ = Strangers::users;
};

/// A standard module whose functions only pass on what their caller wants done: os, subprocess,
/// socket, pty, ctypes.
bool passes_on_calls(std::string_view filename);

}  // namespace cellblock::python

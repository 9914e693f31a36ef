// Makes an ExecutionResult of what the session said, what its processes did and what the host saw.
#pragma once

#include "cellblock/result.hpp"
#include "host/execution.hpp"

namespace cellblock::host {

/// What only the session knows.
struct SessionView {
  std::string session_id;
  IsolationReport isolation;
  FileChanges files;
  std::optional<Bytes> max_memory_bytes;   ///< the policy's
  std::optional<Bytes> peak_memory_bytes;  ///< by the group of the process that answered
  std::vector<std::string> names;          ///< of the last summary: lost when the process ended
  std::optional<Error> ended;              ///< why the session takes no more calls
  bool ends_threads = false;               ///< the policy's `background` is `end`
  std::vector<Variable> variables;         ///< of the last reply: they hold when this one has none
};

/// The reply's body is hostile: one that cannot be decoded gives status `crashed`, cause
/// `protocol`.
struct Assembled {
  ExecutionResult result;
  bool ends_process = false;  ///< it must not run anything more: its state is told as lost
  std::optional<std::vector<std::string>> imports;  ///< as the reply had them; nothing: none came
  bool new_variables = false;                       ///< the reply had a list of its own
};
Assembled assemble(Execution& execution, const Outcome& outcome, SessionView view);

/// For example "SIGSEGV" or "exit code 3".
std::string describe_wait_status(int wait_status);

/// A result for an execution that never reached a session.
ExecutionResult host_failure(std::string_view code, const RunOptions& options, const Error& error);

}  // namespace cellblock::host

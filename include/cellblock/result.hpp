// What came out of one execution. Names and shapes are those of the JSON form.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/expected.hpp"
#include "cellblock/policy.hpp"

namespace cellblock {

enum class Status {
  ok,
  error,
  exit,
  timeout,
  memory_limit,
  cpu_limit,
  crashed,
  cancelled,
  host_error,
};

enum class Cause {
  exception,
  syntax,
  import_refused,
  exit,
  wall_time,
  cpu_time,
  memory,
  processes,
  threads,
  open_files,
  file_size,
  disk_full,
  denied_syscall,
  signal,
  stack_overflow,
  protocol,
  caller,
  zygote_lost,
  host,
};

/// What became of the session's variables.
enum class State { kept, rolled_back, lost };

/// The rung of the watchdog's ladder that ended the execution.
enum class StoppedBy { sigint, sigkill };

std::string_view to_string(Status status);
std::string_view to_string(Cause cause);
std::string_view to_string(State state);
std::string_view to_string(StoppedBy stopped_by);

/// How much of a stream was left out of the result; the rest is had by Session::output.
struct Truncation {
  Bytes total_bytes = 0;
  Bytes omitted_bytes = 0;
};

/// One piece of display data: a MIME bundle and, for a chart, its data.
struct DisplayData {
  struct Mime {
    std::string type;  ///< for example "image/png"
    std::string data;  ///< raw bytes; text types are UTF-8, application/json is JSON text
  };
  /// What a callback does with it: show it, put it in the place of what has its display_id, or take
  /// back everything that this execution has shown. In a result, `update` is left where what it
  /// replaces was shown by an earlier execution.
  enum class Operation { show, update, clear };

  bool is_main_result = false;
  std::vector<Mime> mime;
  std::string chart_json;  ///< JSON text of an object, or empty
  std::string display_id;  ///< the code's own name for it, or empty
  Operation operation = Operation::show;

  /// The data of one type, or null.
  [[nodiscard]] const std::string* find(std::string_view type) const;
  /// JSON object {is_main_result, mime {type: data; binary types in base64}, chart | null}, and
  /// display_id and operation where they are not empty and not `show`.
  [[nodiscard]] std::string to_json() const;
};

struct ExecutionError {
  std::string name;
  std::string value;
  std::string traceback;
  std::string hint;  ///< one sentence to act on, or empty
};

struct Variable {
  std::string name;
  std::string type;
  std::string summary;  ///< for example "DataFrame(1000, 12)"

  [[nodiscard]] std::string to_json() const;
};

struct VariableChange {
  std::string name;
  std::string type;
  std::string summary;
  std::string detail;  ///< what changed, or empty
};

struct Changes {
  std::vector<VariableChange> added;
  std::vector<VariableChange> changed;
  std::vector<VariableChange> removed;  ///< only the name is set
};

struct FileInfo {
  std::string path;  ///< relative to the workspace, UTF-8 (invalid bytes replaced)
  Bytes size = 0;
  std::string mime;

  [[nodiscard]] std::string to_json() const;
};

struct FileChanges {
  std::vector<FileInfo> created;
  std::vector<FileInfo> changed;
  std::vector<FileInfo> deleted;
};

struct Usage {
  double wall_ms = 0;
  double cpu_ms = 0;
  Bytes peak_memory_bytes = 0;  ///< since the session began
};

/// One kernel mechanism, and whether this session has it.
struct Layer {
  std::string name;
  bool on = false;
  std::string detail;
  std::string remedy;  ///< what would bring it; empty when it is on, or nothing is known
};

struct IsolationReport {
  /// "full", "reduced" (what `required` needs, with layers missing), "partial" (less than that) or
  /// "none"
  std::string level;
  std::vector<Layer> layers;

  [[nodiscard]] std::string to_json() const;
};

/// A function that every session starts with.
struct Helper {
  std::string name;
  std::string signature;  ///< as Python shows it: "(path, **options)"
  std::string doc;        ///< one line
};

/// The caller's own marks, returned and logged as given.
struct TraceContext {
  std::string traceparent;
  std::string request_id;
  std::string tenant;
};

struct ExecutionResult {
  std::string session_id;
  std::string execution_id;
  std::uint64_t execution_count = 0;
  std::string code_sha256;  ///< 64 hex digits

  Status status = Status::ok;
  std::optional<Cause> cause;
  int exit_code = 0;

  std::string out;  ///< JSON name "stdout" (a macro in C): valid UTF-8, within max_stdout_bytes
  std::string err;  ///< JSON name "stderr"
  std::optional<Truncation> out_truncated;
  std::optional<Truncation> err_truncated;
  std::string late_out;  ///< written after the last run ended and before this one
  std::string late_err;

  std::optional<std::string> text;
  std::vector<DisplayData> results;
  std::optional<ExecutionError> error;

  std::vector<Variable> variables;
  std::string variables_summary;  ///< "df: DataFrame(1000, 12)", a line each
  Changes changes;
  FileChanges files;

  State state = State::kept;
  std::vector<std::string> lost_names;
  std::optional<StoppedBy> stopped_by;

  Usage usage;
  IsolationReport isolation;
  std::map<std::string, std::uint64_t> policy_events;
  TraceContext trace;

  /// One line of JSON.
  [[nodiscard]] std::string to_json() const;
  /// Reads what to_json wrote. What is missing has its default; only `status` must be there. Error
  /// kind: bad_argument.
  static Expected<ExecutionResult> from_json(std::string_view json);
  /// What a model needs to know, as plain text of at most `budget` bytes, the most useful first:
  /// how it ended, error and hint, value, stdout, what was shown ("[2 images]"), stderr, changed
  /// variables, files. Each part has a share; what does not fit loses its middle and says so.
  [[nodiscard]] std::string to_model_text(Bytes budget) const;
};

}  // namespace cellblock

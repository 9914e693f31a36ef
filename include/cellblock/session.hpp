// A Python session: one namespace, one workspace, many executions.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/expected.hpp"
#include "cellblock/result.hpp"

namespace cellblock {

namespace host {
class Execution;
class ForkExecutor;
class ForkSession;
}  // namespace host

struct RunOptions {
  /// Less than the policy's; more is clamped to it and told in policy_events ("timeout_clamped").
  std::optional<std::chrono::milliseconds> timeout;
  TraceContext trace;
};

/// Called one at a time, in the order of events: on the thread that waits in Session::run, or on
/// one of the library's own that belongs to the started execution. A slow callback delays only its
/// own stream. Text is valid UTF-8. As much of stdout and stderr is streamed as is spooled
/// (spool_bytes). A callback must not throw and must
/// not end the last handle on the executor.
struct RunCallbacks {
  std::function<void(std::string_view text)> on_stdout;
  std::function<void(std::string_view text)> on_stderr;
  std::function<void(const DisplayData& data)> on_display;
  /// The execution waits behind `position` others (told when it is queued, and as it moves up).
  std::function<void(std::size_t position)> on_queued;
  /// Of a started execution: the last one, when RunningExecution::wait has the result at once.
  std::function<void()> on_done;
};

/// An execution that was started. Dropping it does not stop it. Thread-safe.
class RunningExecution final {
 public:
  RunningExecution(std::shared_ptr<host::ForkSession> session,
                   std::shared_ptr<host::Execution> execution);

  [[nodiscard]] const std::string& execution_id() const;
  [[nodiscard]] bool done() const;
  /// Blocks until the result is there and every callback has returned.
  [[nodiscard]] ExecutionResult wait();
  /// The same with a bound: nothing when it is not done by then.
  [[nodiscard]] std::optional<ExecutionResult> wait_for(std::chrono::milliseconds limit);
  /// Ends it by the watchdog's ladder, with status `cancelled`; one that is still queued never
  /// starts. Does not block.
  void interrupt();

 private:
  std::shared_ptr<host::ForkSession> session_;
  std::shared_ptr<host::Execution> execution_;
};

struct Completion {
  std::vector<std::string> matches;
  std::size_t start = 0;  ///< in code points, as `end` and the cursor
  std::size_t end = 0;
};

struct Inspection {
  bool found = false;
  std::string text;
};

struct Completeness {
  std::string status;  ///< "complete", "incomplete" or "invalid"
  std::string indent;  ///< what the next line should start with
};

enum class OutputStream { out, err };

/// What has ended a session: it was closed, or a time to live of its policy is over.
enum class EndReason { closed, session_ttl, idle_ttl };

struct OutputQuery {
  std::string execution_id;
  OutputStream stream = OutputStream::out;
  Bytes offset = 0;
  Bytes limit = 65'536;  ///< of the text that comes back; at least 1
  /// ECMAScript regular expression: the lines that match, wherever they stand from the offset on. A
  /// slow search ends early, and goes on at the page's next_offset.
  std::optional<std::string> pattern;
};

struct OutputPage {
  std::string text;
  Bytes next_offset = 0;  ///< behind what was read or searched; equals total_bytes at the end
  Bytes total_bytes = 0;
};

/// Gives the next piece of a file; an empty one is its end.
using PieceSource = std::function<Expected<std::string>()>;

/// What happens to the columns of a file before it reaches a workspace.
struct Redaction {
  /// Column: "drop" (left out), "mask" (*** for each value) or "hash" (keyed: equal values stay
  /// equal within the file). Empty values stay empty.
  std::map<std::string, std::string> rules;
  std::string format;    ///< "csv", "jsonl" or "parquet"; empty: by the file's name
  std::string hash_key;  ///< the same key gives the same hashes in another file; empty: random
};

struct RedactionReport {
  std::string path;  ///< what the code must use
  std::string format;
  std::vector<std::string> columns;  ///< of the file as it was
  std::uint64_t rows = 0;
  std::map<std::string, std::string> rules;

  [[nodiscard]] std::string to_json() const;
};

/// Thread-safe; one execution at a time, the next waits its turn. Keeps its Executor alive. The
/// destructor closes the session. Calls that the executor cannot do answer `unsupported`.
class Session final {
 public:
  Session(std::shared_ptr<host::ForkExecutor> executor, std::shared_ptr<host::ForkSession> session);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::string& id() const;
  [[nodiscard]] IsolationReport isolation() const;
  /// From open_session to the first ready session process.
  [[nodiscard]] std::chrono::microseconds start_time() const;

  /// Runs one cell and waits. What goes wrong is in the result, on the host's side as status
  /// `host_error`: also code that is too large (code.hpp).
  [[nodiscard]] ExecutionResult run(std::string_view code, const RunOptions& options = {},
                                    const RunCallbacks& callbacks = {});
  [[nodiscard]] RunningExecution start(std::string_view code, const RunOptions& options = {},
                                       RunCallbacks callbacks = {});
  /// Interrupts the execution that runs now, if there is one; queued ones go on.
  void interrupt();
  /// A fresh namespace in the same process and workspace: modules keep what was changed in them, as
  /// do the working folder, the environment, threads and children. A new process is a new session.
  Expected<void> reset();
  Expected<std::vector<Variable>> variables();
  Expected<Completion> complete(std::string_view code, std::size_t cursor);
  Expected<Inspection> inspect(std::string_view code, std::size_t cursor);
  Expected<Completeness> is_complete(std::string_view code);

  /// Pages through the output of one of the last executions.
  Expected<OutputPage> output(const OutputQuery& query);

  /// Paths are relative to the workspace, or absolute below it as the session's code has them
  /// ("/workspace/a.csv"); all others, `..` and links are refused. Returns the path that the code
  /// must use.
  Expected<std::string> upload(std::string_view path, std::string_view data);
  Expected<std::string> append(std::string_view path, std::string_view data);
  /// The same piece by piece, for what is larger than memory. A failure of `next` ends it.
  Expected<std::string> upload(std::string_view path, const PieceSource& next);
  /// A local file, or a folder with everything in it (links are left out). An empty `path`: under
  /// its own name.
  Expected<std::string> upload_file(const std::string& local, std::string_view path = {});
  /// Redacts a local file in a session of its own, under the profile "trusted", and uploads what
  /// comes out: no value of a redacted column reaches this session. A rule for a column that is not
  /// there is an error (bad_argument), and then nothing is uploaded. Values that other columns
  /// repeat are not found.
  Expected<RedactionReport> upload_redacted(const std::string& local, std::string_view path,
                                            const Redaction& redaction);
  Expected<std::string> download(std::string_view path, Bytes offset = 0,
                                 std::optional<Bytes> limit = std::nullopt);
  Expected<std::vector<FileInfo>> files();
  /// One regular file of them, without a walk. Its path is judged as in download(): what that
  /// cannot give is an error here, too (bad_argument).
  Expected<FileInfo> stat(std::string_view path);

  /// A context: a session of its own in this one's cage (docs/contexts.md). Blocks until it is
  /// ready.
  ///
  /// Shared: the workspace and /tmp, the policy with the limits on memory, processor share, and
  /// threads and processes together. Its own: variables, imports, current folder, environment,
  /// queue (runs of two contexts go on side by side), id, results, times to live, and its place
  /// among max_sessions. What ends one, a timeout, crash, reset or close, leaves the others as they
  /// are; files stay until the last one is closed. `this` and a context of it can both be asked for
  /// further ones.
  ///
  /// Error kinds: unknown_session or expired (this session has ended), busy_limit,
  /// isolation_unavailable, host_error.
  Expected<Session> open_context();

  /// Why the session takes no more calls: it was closed (unknown_session), or its policy's
  /// session_ttl or idle_ttl is over (expired). Nothing: it is open. After that every call answers
  /// this error; a run's result has status `host_error` when the session had expired.
  [[nodiscard]] std::optional<Error> ended() const;
  /// The same without words.
  [[nodiscard]] std::optional<EndReason> end_reason() const;

  /// Ends the session's processes, and with the last session in it the private workspace. Running
  /// executions end as cancelled. Does not block: atexit functions have the policy's grace.
  void close();

 private:
  std::shared_ptr<host::ForkExecutor> executor_;
  std::shared_ptr<host::ForkSession> session_;
};

}  // namespace cellblock

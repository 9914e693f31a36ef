// The bodies of frames as values. Each has encode() → MessagePack and a static
// decode(bytes) → Expected; unknown fields are ignored, wrong types are refused.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/expected.hpp"
#include "cellblock/result.hpp"

namespace cellblock::protocol {

/// MessagePack → JSON value, with bounds on nesting and on the number of values: the bytes may be
/// hostile. Error kind: bad_argument. No exception leaves it.
Expected<nlohmann::json> decode_body(std::string_view bytes, std::size_t max_depth = 64);
/// Strings need not be UTF-8.
std::string encode_body(const nlohmann::json& value);

/// The zygote is warm and takes fork requests.
struct ZygoteReady {
  std::string python_version;     ///< for example "3.11.2"
  std::string python_executable;  ///< sys.executable
  std::map<std::string, std::string> loaded;
  std::map<std::string, std::string> missing;
  std::vector<Helper> helpers;
  std::vector<std::string> installed;  ///< every top-level name that can be imported
  bool cages = false;                  ///< sessions get a pid namespace of their own
  std::string cages_detail;            ///< if not: why
  bool mounts = false;                 ///< sessions get file systems of their own: a workspace in
                                       ///< memory

  [[nodiscard]] std::string encode() const;
  static Expected<ZygoteReady> decode(std::string_view bytes);
};

/// The zygote cannot start; `message` is one sentence that says what to do.
struct ZygoteFailed {
  std::string message;

  [[nodiscard]] std::string encode() const;
  static Expected<ZygoteFailed> decode(std::string_view bytes);
};

/// What the session process needs to know about itself. Goes to `cellblock_runtime.start` as a
/// dict with these names.
struct SessionConfig {
  std::string workspace;  ///< absolute path; cwd and HOME
  std::map<std::string, std::string> env;
  std::vector<std::string> allowed_imports;
  std::string import_guard = "on";
  std::string interpreter = "main";
  std::uint64_t max_text_bytes = 16'384;
  std::uint64_t max_result_bytes = 10ULL << 20;
  /// Threads that outlive their cell are asked to end, and waited for this long; 0: they are kept.
  std::uint64_t end_threads_ms = 0;
  bool notes_imports = false;  ///< replies tell the imports that cells made

  [[nodiscard]] std::string encode() const;
  static Expected<SessionConfig> decode(std::string_view bytes);
};

/// What one process may use; nothing: as inherited.
struct ResourceLimits {
  std::optional<std::uint64_t> data_bytes;  ///< beyond what the zygote's child has at start
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> file_bytes;
  std::optional<std::uint64_t> processes = 0;  ///< children of user code; nothing: any number
  /// Processes and threads of user code, the main one included.
  std::optional<std::uint64_t> tasks;
};

/// A cage's /tmp is a tmpfs for small things: what is large belongs into the workspace, whose size
/// the policy says.
inline constexpr std::uint64_t kTemporaryBytes = 64ULL << 20;
inline constexpr std::uint64_t kTemporaryFiles = 1'000;

/// The session's writable folder.
struct WorkspacePlan {
  /// A folder of the machine, used in place or mounted into the cage; empty: a tmpfs of the cage.
  std::string folder;
  std::optional<std::uint64_t> bytes;  ///< of the tmpfs; nothing: no limit
  std::optional<std::uint64_t> files;

  friend bool operator==(const WorkspacePlan&, const WorkspacePlan&) = default;
};

/// `cage`: confined as far as built. `bare`: a plain fork, for the benchmark's comparison only.
enum class ForkMode : std::uint8_t { cage, bare };

/// Makes a session write the Python stacks of its threads to the pipe that it has for that,
/// whatever its code does at the moment. A real-time signal (SIGRTMAX - 2), which programs leave
/// alone.
inline constexpr int kStackSignal = 62;

/// Comes with four descriptors, the session's channel, stdout, stderr and the pipe for stacks, and
/// behind them those of its control groups.
struct ForkRequest {
  ForkMode mode = ForkMode::cage;
  std::uint8_t cgroups = 0;  ///< how many descriptors of control groups follow
  ResourceLimits limits;
  WorkspacePlan workspace;
  std::vector<std::string> read_paths;
  std::uint64_t cage = 0;   ///< the host's number for the cage, its own for each
  bool joins_cage = false;  ///< the cage of that number is there; else it is made, as said here
  // For tests of what holds without a layer, and of what starts when a step of confinement fails.
  std::vector<std::string> switched_off;  ///< layers that are left out
  std::string failing_step;               ///< the layer whose step fails; empty: none
  /// An encoded SessionConfig. Only the child reads it: what it holds is no other session's, and
  /// what reading it leaves in the heap is not copied into later ones.
  std::string config;

  /// Async-signal-safe.
  [[nodiscard]] bool is_switched_off(std::string_view layer) const;
  [[nodiscard]] std::string encode() const;
  static Expected<ForkRequest> decode(std::string_view bytes);
};

/// Comes with the session's pidfd; when it is caged, the pidfd of the cage's init (its death ends
/// every process of the session); when its workspace is a new tmpfs, that folder. `error`: no
/// session was made, and no descriptor comes.
struct ForkReply {
  std::string error;
  bool cage_is_gone = false;  ///< why: the last session in the cage to be joined has ended

  [[nodiscard]] std::string encode() const;
  static Expected<ForkReply> decode(std::string_view bytes);
};

/// The session's main process has ended, and with it every process of its pid namespace (of its
/// process group where there are no cages).
struct SessionExited {
  int wait_status = 0;  ///< as waitpid gives it
  std::uint64_t cpu_us = 0;
  std::uint64_t max_rss_bytes = 0;

  [[nodiscard]] std::string encode() const;
  static Expected<SessionExited> decode(std::string_view bytes);
};

/// Sent by the session before any user code exists in it.
struct SessionReady {
  std::vector<Layer> layers;

  [[nodiscard]] std::string encode() const;
  static Expected<SessionReady> decode(std::string_view bytes);
};

struct SessionFailed {
  std::string message;

  [[nodiscard]] std::string encode() const;
  static Expected<SessionFailed> decode(std::string_view bytes);
};

/// execute_request
struct ExecuteRequest {
  std::string code;
  std::uint64_t execution_count = 0;
  std::vector<std::string> imports;  ///< statements of a dead predecessor, to be run before it

  [[nodiscard]] std::string encode() const;
  static Expected<ExecuteRequest> decode(std::string_view bytes);
};

/// complete_request, inspect_request (and is_complete_request, which ignores the cursor)
struct CodeRequest {
  std::string code;
  std::uint64_t cursor = 0;  ///< in code points

  [[nodiscard]] std::string encode() const;
  static Expected<CodeRequest> decode(std::string_view bytes);
};

/// Bounds on what a session tells of its imports.
inline constexpr std::size_t kMostImports = 200;
inline constexpr std::size_t kLongestImport = 500;

/// What the runtime's execute() says of an execution; the host adds the rest.
struct ExecuteReply {
  Status status = Status::ok;
  std::optional<Cause> cause;
  int exit_code = 0;
  bool interrupted = false;  ///< a KeyboardInterrupt ended it
  std::optional<std::string> text;
  std::optional<ExecutionError> error;
  std::optional<std::vector<Variable>> variables;  ///< nothing: as in this process's last reply
  Changes changes;
  std::uint64_t threads = 0;         ///< alive beside the main one
  std::vector<std::string> imports;  ///< statements that cells have run so far, where noted
  std::uint64_t cpu_us = 0;          ///< of this execution
  std::uint64_t max_rss_bytes = 0;   ///< peak since the session began
  /// What the import guard refused or saw; at most kMostPolicyEvents names.
  std::map<std::string, std::uint64_t> policy_events;

  static constexpr std::size_t kMostPolicyEvents = 64;
  /// Encoded in the session by src/python straight from the runtime's dict.
  static Expected<ExecuteReply> decode(std::string_view bytes);
};

/// display_event; binary MIME types are the frame's attachments.
Expected<DisplayData> decode_display(std::string_view body, std::vector<std::string> attachments);

/// variables_reply: {"variables": [{name, type, summary}]}
Expected<std::vector<Variable>> decode_variables(std::string_view bytes);

struct CompleteReply {
  std::vector<std::string> matches;
  std::uint64_t start = 0;
  std::uint64_t end = 0;

  static Expected<CompleteReply> decode(std::string_view bytes);
};

struct InspectReply {
  bool found = false;
  std::string text;

  static Expected<InspectReply> decode(std::string_view bytes);
};

struct IsCompleteReply {
  std::string status;
  std::string indent;

  static Expected<IsCompleteReply> decode(std::string_view bytes);
};

}  // namespace cellblock::protocol

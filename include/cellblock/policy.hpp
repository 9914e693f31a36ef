// SecurityPolicy: what a session may do and use. The operator's word: what a model sends can only
// narrow it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/expected.hpp"

namespace cellblock {

/// A size in bytes.
using Bytes = std::uint64_t;

enum class ImportGuard { on, off };
enum class BackgroundThreads { keep, end };
enum class OnRestart { fresh, reimport };
enum class Isolation { required, best_effort, none };
enum class Interpreter { main, sub };

/// The field names are the JSON names (a duration's field is `<name>_s` there, in seconds; both
/// whole and fractional numbers are taken). An empty optional is JSON null: no limit.
struct SecurityPolicy {
  std::string profile = "default";

  /// Wall clock of one execution, from the host's writing of the request.
  std::chrono::milliseconds timeout{30'000};
  /// What the ladder leaves between the first SIGINT and SIGKILL.
  std::chrono::milliseconds grace{1'000};
  std::optional<double> cpu_seconds;
  std::optional<double> max_cpus = 1.0;

  std::optional<Bytes> max_memory_bytes = 512ULL << 20;
  std::optional<std::uint32_t> max_processes = 0;
  std::optional<std::uint32_t> max_threads = 32;
  std::optional<std::uint32_t> max_open_files = 256;
  std::optional<Bytes> max_file_bytes = 64ULL << 20;
  std::optional<Bytes> workspace_bytes = 256ULL << 20;
  std::optional<std::uint32_t> workspace_files = 10'000;
  /// A host folder that becomes the workspace; none: a private one that ends with the session and
  /// its contexts.
  std::optional<std::string> workspace_dir;

  Bytes max_stdout_bytes = 16'384;
  Bytes max_stderr_bytes = 16'384;
  Bytes max_text_bytes = 16'384;
  Bytes max_result_bytes = 10ULL << 20;
  Bytes spool_bytes = 16ULL << 20;

  /// A name stands for a package with its submodules, a dotted one for that part only; empty means
  /// that user code may import none. Guidance for who writes the code: libraries import what they
  /// need.
  std::vector<std::string> allowed_imports = default_allowed_imports();
  ImportGuard import_guard = ImportGuard::on;
  std::string network = "none";
  std::vector<std::string> read_paths;
  std::map<std::string, std::string> env;
  BackgroundThreads background = BackgroundThreads::keep;
  OnRestart on_restart = OnRestart::fresh;
  Isolation isolation = Isolation::required;
  Interpreter interpreter = Interpreter::main;
  std::chrono::milliseconds session_ttl{3'600'000};
  std::chrono::milliseconds idle_ttl{600'000};

  /// The policy of a named profile: "default", "strict" or "trusted".
  /// Error kind: policy_invalid for another name.
  static Expected<SecurityPolicy> from_profile(std::string_view name);

  /// Reads a JSON object: `profile` first, the other fields change it. Unknown fields, wrong types
  /// and absurd numbers are refused with one sentence naming the field (kind policy_invalid).
  static Expected<SecurityPolicy> from_json(std::string_view json);

  /// Every field, as a JSON object; from_json(to_json()) gives an equal policy.
  [[nodiscard]] std::string to_json() const;

  /// The data-analysis list (src/policy/allowed_imports.txt, compiled in).
  static const std::vector<std::string>& default_allowed_imports();

  friend bool operator==(const SecurityPolicy&, const SecurityPolicy&) = default;
};

}  // namespace cellblock

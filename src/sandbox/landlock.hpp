// Landlock: which files a session may open, whatever else it can reach; no TCP, no signals and no
// abstract sockets out of the session.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// `read`: files and folders below. `read_write`: all but executing and making devices and sockets.
/// `device`: reading and writing one file.
enum class PathAccess : std::uint8_t { read, read_write, device };

struct PathRule {
  std::string path;
  PathAccess access;
};

/// Made once in the zygote; sessions apply it. Nothing of it changes in a session: a rule added to
/// the ruleset there would hold in the zygote, and for all later sessions, too.
class Landlock final {
 public:
  /// Paths that do not exist are left out. A kernel without Landlock gives one with abi() 0, which
  /// restricts nothing.
  static Expected<Landlock> prepare(const std::vector<PathRule>& rules);

  /// Applies the ruleset as it is: for sessions whose workspace lies below a path of the rules.
  /// After no_new_privs, while its descriptors are still open, by a process with one thread.
  /// Async-signal-safe.
  [[nodiscard]] Failure restrict_self() const;

  /// The same with more paths, such as the session's workspace, each of which must exist; makes a
  /// ruleset of its own for them. Async-signal-safe.
  [[nodiscard]] Failure restrict_self_and(std::span<const PathRule> more) const;

  [[nodiscard]] int abi() const noexcept { return abi_; }
  /// Whether a restricted process can signal none but those restricted with it.
  [[nodiscard]] bool bounds_signals() const noexcept;
  /// Why there is none, and what to do; else the ABI number.
  [[nodiscard]] std::string detail() const;

 private:
  struct OpenRule {
    base::UniqueFd path;
    std::uint64_t rights;
  };

  Landlock() = default;
  [[nodiscard]] int create_ruleset() const;
  [[nodiscard]] Failure add_rules(int ruleset) const;
  [[nodiscard]] Failure apply(int ruleset) const;

  int abi_ = 0;
  int error_ = 0;
  std::vector<OpenRule> rules_;
  base::UniqueFd ruleset_;
};

/// Whether the root folder, which no rule covers, cannot be read.
bool landlock_is_seen();

}  // namespace cellblock::sandbox

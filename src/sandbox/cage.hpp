// A cage: the mount and (without root) user namespace of a session and of those that share it, with
// a pid namespace, held by a tiny init, for each.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <span>

#include "base/unique_fd.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// The PID 1 of a pid namespace. Its death ends every process in it, but it is reaped only after
/// those that the zygote forked into it have been.
struct CageInit {
  pid_t pid = -1;
  base::UniqueFd pidfd;
};

/// A tree from clone_tree() or make_tmpfs(), and where it goes in the cage.
struct CageMount {
  int tree = -1;
  const char* path = nullptr;
};

/// Which namespaces a cage has beside its pid namespace.
struct CageNamespaces {
  bool mounts = false;
  bool user = false;
};

/// What start_init() needs and does not own.
struct CageParts {
  int image = -1;     ///< executed as PID 1: make_init_image()
  int liveness = -1;  ///< its descriptor 0
  int self = -1;      ///< a pidfd of the calling process: the way back
  int proc = -1;      ///< O_PATH of the machine's /proc, where cages have user namespaces
};

/// Starts inits and makes forks land in their namespaces. Single-threaded processes only.
class CageStarter final {
 public:
  CageStarter(const CageParts& parts, CageNamespaces namespaces);

  [[nodiscard]] CageNamespaces namespaces() const { return namespaces_; }

  /// Makes the namespaces by CLONE_VFORK: returns when init runs, with the mounts in place. EPERM
  /// or ENOSPC (as Failure) where the machine allows none; init.pid is set when there is a process
  /// to be reaped.
  Failure start_init(CageInit& init, std::span<const CageMount> mounts);
  /// An init with a pid namespace alone: for one more session in a cage that is there.
  Failure start_further_init(CageInit& init);

  /// From here on forks of this process land in init's pid namespace...
  static Failure enter(const CageInit& init);
  /// ...until here. If this fails the process must not fork again.
  Failure leave() const;

 private:
  static constexpr std::size_t kStackBytes = 16'384;

  Failure start(CageInit& init, CageNamespaces namespaces, std::span<const CageMount> mounts);

  CageParts parts_;
  CageNamespaces namespaces_;
  std::unique_ptr<std::byte[]> stack_;  // of the helper, which shares our memory until it execs
};

/// In the process that was forked into the cage: joins its other namespaces. With a user namespace
/// it has every capability there until it drops them. Async-signal-safe.
Failure join_namespaces(int init_pidfd, CageNamespaces namespaces);

/// Whether this process is the first that was forked into its pid namespace.
bool is_first_of_cage();

}  // namespace cellblock::sandbox

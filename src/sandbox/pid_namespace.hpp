// Pid namespaces: a cage is one, with a tiny init as its PID 1.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>

#include "base/unique_fd.hpp"
#include "sandbox/step.hpp"

namespace cellblock::sandbox {

/// The PID 1 of a cage. Its death ends every process of the cage, but it is reaped only after
/// those that the zygote forked into the cage have been.
struct CageInit {
  pid_t pid = -1;
  base::UniqueFd pidfd;
};

/// Starts inits and makes forks land in their namespaces. Single-threaded processes only.
class PidNamespaces final {
 public:
  /// `image` is executed as PID 1 with `liveness_fd` as its descriptor 0; neither is owned.
  /// `self` is a pidfd of the calling process: the way back.
  PidNamespaces(int image, int liveness_fd, int self);

  /// Makes a namespace by CLONE_VFORK: returns when init runs. EPERM or ENOSPC (as Failure) where
  /// the machine allows none.
  Failure start_init(CageInit& init);

  /// From here on forks of this process land in init's namespace...
  static Failure enter(const CageInit& init);
  /// ...until here. If this fails the process must not fork again.
  Failure leave() const;

 private:
  static constexpr std::size_t kStackBytes = 16'384;

  int image_;
  int liveness_fd_;
  int self_;
  std::unique_ptr<std::byte[]> stack_;  // of the helper, which shares our memory until it execs
};

/// Whether this process is the first that was forked into a cage.
bool is_first_of_cage();

}  // namespace cellblock::sandbox

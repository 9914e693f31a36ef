// What the kernel alone costs: a process that sends 1 KiB back over the kind of socket that
// sessions use.
#pragma once

#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace cellblock::bench {

/// The echoing process lives as long as the object.
class RawEcho final {
 public:
  RawEcho();
  ~RawEcho();
  RawEcho(const RawEcho&) = delete;
  RawEcho& operator=(const RawEcho&) = delete;

  /// One round trip. False: the process is gone.
  bool round_trip();

 private:
  base::UniqueFd socket_;
  pid_t pid_ = -1;
};

}  // namespace cellblock::bench

// File systems in memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::sandbox {

/// Nothing means no limit; 0 would mean that to the kernel too and is never passed on as a limit.
struct TmpfsLimits {
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> files;  ///< files, folders and links; the root folder is on top

  friend bool operator==(const TmpfsLimits&, const TmpfsLimits&) = default;
};

/// Whose the root folder is, and what others may do with it.
struct TmpfsRoot {
  uid_t user = 0;
  gid_t group = 0;
  const char* mode = "0700";
};

/// An empty tmpfs as a detached mount: nosuid, nodev and noexec. The descriptor (O_PATH) is its
/// root folder, and keeps the files alive wherever it is attached and detached again. Error kind:
/// host_error; a clause.
Expected<base::UniqueFd> make_tmpfs(const TmpfsLimits& limits, const TmpfsRoot& root);

}  // namespace cellblock::sandbox

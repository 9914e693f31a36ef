// The machine's files for one cage, after the zygote has left them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::sandbox {

/// Copies mounts out of the namespace that enter_minimal_root() gave. Single-threaded processes
/// only.
class HostMounts final {
 public:
  explicit HostMounts(base::UniqueFd machine);

  /// A detached tree of what is at `path` there, with MOUNT_ATTR_* set on all of it. Error kind:
  /// host_error; a clause that names the path.
  Expected<base::UniqueFd> clone(const std::string& path, std::uint64_t attributes);

 private:
  static constexpr std::size_t kStackBytes = 16'384;

  base::UniqueFd machine_;
  std::unique_ptr<std::byte[]> stack_;
};

}  // namespace cellblock::sandbox

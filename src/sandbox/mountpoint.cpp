#include "sandbox/mountpoint.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/unique_fd.hpp"

namespace cellblock::sandbox {

MountpointKind kind_of(int fd) {
  struct stat status {};
  ::fstat(fd, &status);
  return S_ISDIR(status.st_mode) ? MountpointKind::folder : MountpointKind::file;
}

bool make_mountpoint(int root, const std::string& path, MountpointKind kind) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(1, slash == std::string::npos ? slash : slash - 1);
    const bool last = slash == std::string::npos;
    if (last && kind == MountpointKind::file) {
      const base::UniqueFd file(
          ::openat(root, part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444));
      return static_cast<bool>(file);
    }
    if (::mkdirat(root, part.c_str(), 0755) != 0 && errno != EEXIST) return false;
    if (last) return true;
  }
}

}  // namespace cellblock::sandbox

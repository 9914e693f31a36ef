#include "base/files.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace cellblock::base {

UniqueFd open_beneath(int folder, const std::string& path, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how))));
}

Folder read_folder(UniqueFd descriptor) {
  if (!descriptor) return nullptr;
  Folder folder(::fdopendir(descriptor.get()));
  if (folder) static_cast<void>(descriptor.release());
  return folder;
}

}  // namespace cellblock::base

#include "sandbox/tmpfs.hpp"

#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace cellblock::sandbox {
namespace {

bool set(const base::UniqueFd& context, const char* key, const std::string& value) {
  return ::fsconfig(context.get(), FSCONFIG_SET_STRING, key, value.c_str(), 0) == 0;
}

std::string or_unlimited(std::optional<std::uint64_t> limit, std::uint64_t more) {
  return limit ? std::to_string(*limit + more) : "0";
}

bool configure(const base::UniqueFd& context, const TmpfsLimits& limits, const TmpfsRoot& root) {
  constexpr std::uint64_t root_folder = 1;
  return set(context, "size", or_unlimited(limits.bytes, 0)) &&
         set(context, "nr_inodes", or_unlimited(limits.files, root_folder)) &&
         set(context, "mode", root.mode) && set(context, "uid", std::to_string(root.user)) &&
         set(context, "gid", std::to_string(root.group)) &&
         ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
}

}  // namespace

Expected<base::UniqueFd> make_tmpfs(const TmpfsLimits& limits, const TmpfsRoot& root) {
  const base::UniqueFd context(::fsopen("tmpfs", FSOPEN_CLOEXEC));
  base::UniqueFd mount;
  if (context && configure(context, limits, root)) {
    mount.reset(::fsmount(context.get(), FSMOUNT_CLOEXEC,
                          MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  }
  if (mount) return mount;
  return Error{ErrorKind::host_error,
               std::string("cannot make a tmpfs (") + std::strerror(errno) + ")"};
}

}  // namespace cellblock::sandbox

#include "cli/state_folder.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace cellblock::cli {
namespace {

// The XDG specification: a path that is not absolute is invalid and ignored.
std::string absolute_path_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

}  // namespace

Expected<std::string> state_folder() {
  std::string base = absolute_path_in("XDG_STATE_HOME");
  if (base.empty()) {
    const std::string home = absolute_path_in("HOME");
    if (home.empty()) {
      return Error{ErrorKind::host_error, "Neither XDG_STATE_HOME nor HOME is set."};
    }
    base = home + "/.local/state";
  }
  const std::string folder = base + "/cellblock";
  std::error_code wrong;
  std::filesystem::create_directories(base, wrong);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Error{ErrorKind::host_error,
                 "Cannot make the folder " + folder + ": " + std::strerror(errno) + "."};
  }
  return folder;
}

}  // namespace cellblock::cli

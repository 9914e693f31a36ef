#include "host/program_paths.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace cellblock::host {

Expected<std::string> find_zygote_program() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& candidate :
       {here / "cellblock-zygote", here / ".." / "libexec" / "cellblock" / "cellblock-zygote",
        fs::path(CELLBLOCK_LIBEXECDIR) / "cellblock-zygote"}) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.lexically_normal().string();
  }
  return Error{ErrorKind::host_error,
               "The program cellblock-zygote is not beside the running program nor installed: set "
               "ExecutorOptions::zygote_path."};
}

}  // namespace cellblock::host

#include "sandbox/file_view.hpp"

namespace cellblock::sandbox {

std::vector<PathRule> file_view(const PythonFacts& python) {
  std::vector<PathRule> rules;
  for (const char* path : {"/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime",
                           "/etc/timezone", "/etc/fonts", "/etc/matplotlibrc"}) {
    rules.push_back({path, PathAccess::read});
  }
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    rules.push_back({path, PathAccess::device});
  }
  for (const std::string& folder : python.folders) {
    // A prefix of "/" says that its parts lie in /lib and /usr; it must not open everything.
    if (folder.starts_with('/') && folder != "/") rules.push_back({folder, PathAccess::read});
  }
  if (!python.font_cache.empty()) rules.push_back({python.font_cache, PathAccess::read});
  return rules;
}

}  // namespace cellblock::sandbox

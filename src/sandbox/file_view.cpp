#include "sandbox/file_view.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace cellblock::sandbox {
namespace {

namespace fs = std::filesystem;

// Libraries, zoneinfo, locales and fonts. No programs: nothing is ever executed.
constexpr std::array kSystem{"/usr/lib",         "/usr/lib32",        "/usr/lib64",
                             "/usr/libx32",      "/usr/share",        "/usr/local/lib",
                             "/usr/local/share", "/etc/ld.so.cache",  "/etc/localtime",
                             "/etc/fonts",       "/etc/alternatives", "/etc/matplotlibrc"};
// On merged-usr systems these are links; elsewhere folders of their own.
constexpr std::array kTop{"lib", "lib32", "lib64", "libx32"};

bool is_below(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string normal(const std::string& path) {
  std::string text = fs::path(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

}  // namespace

bool shows(const FileView& view, const std::string& path) {
  return std::any_of(view.readable.begin(), view.readable.end(), [&](const std::string& folder) {
    return path == folder || is_below(path, folder);
  });
}

FileView make_file_view(const std::vector<std::string>& python) {
  FileView view{.devices = {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"}};
  std::vector<std::string> wanted(kSystem.begin(), kSystem.end());
  for (const char* name : kTop) {
    std::error_code error;
    const std::string path = std::string("/") + name;
    if (fs::is_symlink(path, error)) {
      view.links.emplace_back(name);
    } else {
      wanted.push_back(path);
    }
  }
  for (const std::string& path : python) {
    // The whole tree is nobody's package folder.
    if (path.starts_with("/") && normal(path) != "/") wanted.push_back(normal(path));
  }
  // A folder stands before what lies below it.
  std::sort(wanted.begin(), wanted.end());
  for (const std::string& path : wanted) {
    if (exists(path) && !shows(view, path)) view.readable.push_back(path);
  }
  return view;
}

}  // namespace cellblock::sandbox

#include "python/code_origin.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cellblock::python {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_within(std::string_view path, std::string_view folder) {
  return !folder.empty() && starts_with(path, folder) && path.size() > folder.size() &&
         path[folder.size()] == '/';
}

}  // namespace

CodeOrigins::CodeOrigins(std::vector<std::string> library_paths, std::string workspace,
                         Strangers strangers)
    : library_paths_(std::move(library_paths)),
      workspace_(std::move(workspace)),
      strangers_(strangers) {
  // "/" or an empty entry would make everything a library.
  library_paths_.erase(
      std::remove_if(library_paths_.begin(), library_paths_.end(),
                     [](const std::string& path) { return path.size() < 2 || path[0] != '/'; }),
      library_paths_.end());
}

Origin CodeOrigins::of(std::string_view filename) const {
  if (starts_with(filename, "<")) {
    if (starts_with(filename, "<frozen importlib")) return Origin::machinery;
    if (filename == "<__array_function__ internals>") return Origin::machinery;
    const bool compiled_in =
        starts_with(filename, "<frozen ") || starts_with(filename, "<cellblock_runtime/");
    if (compiled_in) return Origin::library;
    // What was made of a string belongs to whoever calls it.
    const bool is_users = strangers_ == Strangers::users || starts_with(filename, "<cell ");
    return is_users ? Origin::user : Origin::machinery;
  }
  if (is_within(filename, workspace_)) return Origin::user;
  const bool installed = std::any_of(library_paths_.begin(), library_paths_.end(),
                                     [&](const auto& path) { return is_within(filename, path); });
  if (!installed) return strangers_ == Strangers::users ? Origin::user : Origin::library;
  return ends_with(filename, "/importlib/__init__.py") ? Origin::machinery : Origin::library;
}

bool passes_on_calls(std::string_view filename) {
  constexpr std::array<std::string_view, 5> kEndings{"/os.py", "/subprocess.py", "/socket.py",
                                                     "/pty.py", "/ctypes/__init__.py"};
  return filename == "<frozen os>" ||
         std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return ends_with(filename, ending); });
}

}  // namespace cellblock::python

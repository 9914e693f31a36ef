// What of the host's file system a session may read.
#pragma once

#include <string>
#include <vector>

#include "sandbox/landlock.hpp"

namespace cellblock::sandbox {

/// What the interpreter says of itself.
struct PythonFacts {
  std::vector<std::string> folders;  ///< its prefixes and its module search path
  std::string font_cache;            ///< matplotlib's folder; empty: none
};

/// Python with its packages, the libraries, time zones, fonts, and three devices. Not the
/// workspace.
std::vector<PathRule> file_view(const PythonFacts& python);

}  // namespace cellblock::sandbox

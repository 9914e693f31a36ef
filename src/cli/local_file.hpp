// Files of the user's own.
#pragma once

#include <string>
#include <string_view>

#include "cellblock/expected.hpp"

namespace cellblock::cli {

/// The whole file. Error kind: bad_argument, a sentence that names it.
Expected<std::string> read_file(const std::string& path);
/// Everything from a descriptor until its end.
Expected<std::string> read_all(int fd, const std::string& name);
/// Replaces the file.
Expected<void> write_file(const std::string& path, std::string_view data);
/// Python source: UTF-8, without a byte order mark.
Expected<std::string> as_source(std::string text, const std::string& name);

}  // namespace cellblock::cli

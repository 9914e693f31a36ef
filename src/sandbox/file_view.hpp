// What a session may read of the machine's files: the libraries, Python, and what they need.
#pragma once

#include <string>
#include <vector>

namespace cellblock::sandbox {

struct FileView {
  /// Files and folders that exist, absolute, none below another.
  std::vector<std::string> readable;
  /// Links at the top of the tree that lead into it, such as /lib: their names.
  std::vector<std::string> links;
  /// Character devices; the first may be written to.
  std::vector<std::string> devices;
};

/// `python` are the folders that Python imports from, and others that its packages read.
FileView make_file_view(const std::vector<std::string>& python);

/// Whether the path is one of the view's readable ones, or lies below one.
bool shows(const FileView& view, const std::string& path);

}  // namespace cellblock::sandbox

// The REPL's input, kept across runs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cellblock::cli {

/// A file of JSON strings, one entry a line, so that entries of several lines stay whole. Several
/// REPLs may add to one file at a time. A file that cannot be read or written costs the history and
/// nothing else.
class HistoryFile final {
 public:
  /// Keeps the last `limit` entries. An empty path: nothing is kept.
  explicit HistoryFile(std::string path, std::size_t limit = 1000)
      : path_(std::move(path)), limit_(limit) {}

  /// The oldest first. Shortens the file when it has grown to twice the limit.
  std::vector<std::string> load();
  /// The file is made with mode 0600.
  void append(std::string_view entry);

 private:
  void rewrite(const std::vector<std::string>& entries) const;

  std::string path_;
  std::size_t limit_;
};

}  // namespace cellblock::cli

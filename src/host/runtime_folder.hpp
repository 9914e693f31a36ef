// Where an executor keeps its sessions' private workspaces.
#pragma once

#include <string>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::host {

/// "cellblock-<uid>-": how the names of what this user's executors leave on the system begin.
std::string executor_prefix();

/// A folder of its own below $TMPDIR (else /tmp), mode 0700, locked while its owner lives. Making
/// one first removes those of this user whose owner died without doing so.
class RuntimeFolder final {
 public:
  static Expected<RuntimeFolder> create();
  RuntimeFolder(RuntimeFolder&&) noexcept = default;
  RuntimeFolder& operator=(RuntimeFolder&&) noexcept = default;
  ~RuntimeFolder();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The last part of the path: the executor's name.
  [[nodiscard]] std::string name() const;

 private:
  RuntimeFolder(std::string path, base::UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  base::UniqueFd lock_;
};

/// $XDG_CACHE_HOME/cellblock/matplotlib or ~/.cache/…, made here; where there is none, `fallback`.
std::string font_cache_folder(const std::string& fallback);

}  // namespace cellblock::host

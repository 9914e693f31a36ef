// An executor's own group in one hierarchy; its sessions' groups lie below it.
#pragma once

#include <string>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"

namespace cellblock::host {

/// Locked while its owner lives, as the executor's runtime folder is, whose name it has: so another
/// executor can tell an abandoned one. Thread-safe. The destructor removes it.
class CgroupFolder final {
 public:
  /// Below the existing group `parent`. Error kind: host_error, for example "cannot be made in
  /// PARENT (Permission denied)", to go behind "cgroup v1: a group ".
  static Expected<CgroupFolder> create(const std::string& parent, const std::string& name);
  CgroupFolder(CgroupFolder&&) noexcept = default;
  CgroupFolder& operator=(CgroupFolder&&) = delete;
  ~CgroupFolder();

  [[nodiscard]] int fd() const { return folder_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The group it was made in.
  [[nodiscard]] const std::string& parent() const { return parent_; }

  /// Makes a group below it. 0 or errno.
  [[nodiscard]] int make(const std::string& name) const;
  /// 0 or errno: EBUSY while a process is in it. One that is not there counts as removed.
  [[nodiscard]] int remove(const std::string& name) const;

 private:
  CgroupFolder(std::string parent, std::string path, base::UniqueFd folder)
      : parent_(std::move(parent)), path_(std::move(path)), folder_(std::move(folder)) {}

  std::string parent_;
  std::string path_;
  base::UniqueFd folder_;
};

/// Removes, below `parent`, the groups of this user's executors whose owner died without doing so.
/// False: some are left, since processes in them are still ending; try again later. Never touches
/// one whose owner lives.
bool remove_abandoned_cgroups(const std::string& parent);

}  // namespace cellblock::host

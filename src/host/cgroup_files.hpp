// Where the control groups of this process are, and the text that their files hold. No more than
// reading: nothing here makes or changes a group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cellblock::host {

/// A line of /proc/self/cgroup. `controllers` is a comma list, empty for v2.
struct OwnCgroup {
  std::string controllers;
  std::string path;
};

/// A line of /proc/self/mountinfo that is a hierarchy of groups. `controllers` is empty for v2.
struct CgroupMount {
  enum class Version { v1, v2 };
  Version version = Version::v1;
  std::string controllers;
  std::string root;   ///< which group the mount point shows
  std::string point;  ///< absolute
};

std::vector<OwnCgroup> parse_own_cgroups(std::string_view text);
std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text);

/// Both as this process has them. Empty where /proc does not say.
struct CgroupView {
  std::vector<OwnCgroup> own;
  std::vector<CgroupMount> mounts;

  static CgroupView of_this_process();
};

/// A group of this process as a folder.
struct OwnCgroupFolder {
  std::string path;         ///< of the group itself
  std::string mount_point;  ///< of the top that can be seen from here
};

/// In the v1 hierarchy of this controller, or with an empty one in v2. Nothing: not mounted, or the
/// group lies outside of what is.
std::optional<OwnCgroupFolder> find_own_cgroup(const CgroupView& view, std::string_view controller);

/// The number behind `key` in lines of "key number".
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key);
/// The one number that the text is.
std::optional<std::uint64_t> to_number(std::string_view text);
/// Whether `word` is one of the words between commas, spaces or the line's end.
bool has_word(std::string_view list, std::string_view word);

/// Up to a page of a file below the folder `at`. Nothing: it cannot be read (errno says why).
std::optional<std::string> read_text(int at, const std::string& path);
/// One write, as these files want it. False: errno says why.
bool write_text(int at, const std::string& path, std::string_view text);

}  // namespace cellblock::host

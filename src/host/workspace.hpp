// The session's writable folder, reached from the host only beneath its own descriptor: no name
// that a session chose is ever followed outside, and nothing in it can hang the host.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/session.hpp"

namespace cellblock::host {

/// What tells one version of a file from another.
struct FileStamp {
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  Bytes size = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Folders in each other; what lies deeper is not looked at.
inline constexpr int kDeepestFolder = 64;

/// Regular files by their path below the workspace (raw bytes).
using FileTree = std::map<std::string, FileStamp>;

/// Thread-safe but for moving it and its end. Uploads are to come one at a time: what each may add
/// depends on the others. A file that is replaced is whole at any time.
class Workspace final {
 public:
  /// A private folder `path` (made here, mode 0700), removed with the object.
  static Expected<Workspace> create(std::string path, const SecurityPolicy& policy);
  /// A tmpfs that the session's process brought, by its root folder; it is gone with its last
  /// descriptor and the process. What the host writes there is made the session's own.
  static Workspace adopt(base::UniqueFd folder, const SecurityPolicy& policy);
  enum class SeenAs { itself, cage_workspace };
  /// A host folder that stays. `seen_as`: where the session's code has it.
  static Expected<Workspace> open(std::string path, const SecurityPolicy& policy,
                                  SeenAs seen_as = SeenAs::itself);

  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(Workspace&&) noexcept = default;
  /// Removes a private folder without following a link.
  ~Workspace();

  /// Empty for one in memory.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// copy_tree(): everything to an empty workspace. Nothing may write to this one meanwhile.
  Expected<void> copy_to(const Workspace& other) const;

  /// The path below the workspace of a path that a caller gives: below it already, or absolute as
  /// the session's code has it ("/workspace/a.csv"). Error kind: bad_argument.
  [[nodiscard]] Expected<std::string> below(std::string_view path) const;

  // The paths that follow are such as below() takes.

  enum class Write { replace, append };
  /// Returns the path that the code must use. Error kinds: bad_argument, too_large, host_error.
  Expected<std::string> upload(std::string_view path, std::string_view data, Write mode) const;
  Expected<std::string> download(std::string_view path, Bytes offset,
                                 std::optional<Bytes> limit) const;
  Expected<std::vector<FileInfo>> files() const;
  /// One file, by a path as download() takes it.
  Expected<FileInfo> stat(std::string_view path) const;

  /// Every regular file but what is on its way in, up to the policy's count (at most 10 000 without
  /// one). Never fails: what cannot be read is not there.
  [[nodiscard]] FileTree scan() const;
  /// One regular file's, by its path as in a FileTree; nothing when it is no such file.
  [[nodiscard]] std::optional<FileStamp> stamp(const std::string& path) const;
  /// A folder to read ("" is the workspace, else "folder/"), never through a link; invalid when it
  /// is not there.
  [[nodiscard]] base::UniqueFd open_folder(const std::string& prefix) const;
  [[nodiscard]] std::size_t max_files() const { return max_files_; }

 private:
  enum class Kind { private_folder, host_folder, memory };

  /// What the file on its way in is called until it is whole; it is no file of the workspace
  /// before.
  class PartName final {
   public:
    /// Empty: there is none.
    void set(std::string name);
    [[nodiscard]] bool is(std::string_view name) const;

   private:
    mutable std::mutex mutex_;
    std::string name_;
  };

  Workspace(std::string path, base::UniqueFd folder, Kind kind, SeenAs seen_as,
            const SecurityPolicy& policy);

  /// `path`: from below().
  Expected<base::UniqueFd> open_beneath(const std::string& path, int flags, unsigned mode) const;
  /// A regular file, and what it was when it was opened.
  struct OpenFile {
    std::string path;
    base::UniqueFd fd;
    FileStamp stamp;
  };
  /// Error kinds: bad_argument, host_error.
  Expected<OpenFile> open_to_read(std::string_view path) const;
  /// The folder that the path's last part is in, made where it is not there.
  Expected<base::UniqueFd> make_parents(const std::string& path) const;
  Expected<void> replace(const std::string& path, std::string_view data) const;
  void scan_folder(int parent, const char* name, const std::string& prefix, int depth,
                   FileTree& tree) const;
  Expected<void> append(const std::string& path, std::string_view data) const;
  Error write_failed(std::string_view path, int error) const;
  /// Whether the file may grow to this, what it is now counted once.
  Expected<void> check_room(const std::string& path, Bytes added, Write mode) const;

  std::string path_;
  std::vector<std::string> session_paths_;  // the folder's own, as the session's code has it
  base::UniqueFd folder_;
  Kind kind_;
  std::unique_ptr<PartName> part_ = std::make_unique<PartName>();
  uid_t owner_ = 0;  // who has the folder has what is in it
  gid_t group_ = 0;
  Bytes max_file_bytes_;
  Bytes max_total_bytes_;
  std::size_t max_files_;
};

FileChanges compare(const FileTree& before, const FileTree& after);
FileInfo describe(const std::string& path, const FileStamp& stamp);

}  // namespace cellblock::host

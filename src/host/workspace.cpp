#include "host/workspace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "base/files.hpp"
#include "base/random_id.hpp"
#include "base/utf8.hpp"
#include "host/mime_types.hpp"
#include "host/tree_copy.hpp"
#include "host/tree_removal.hpp"
#include "protocol/cage_paths.hpp"

namespace cellblock::host {
namespace {

constexpr std::size_t kMostFiles = 10'000;
constexpr const char* kPartPrefix = ".upload-";

Error failed(const std::string& doing, int error) {
  return {ErrorKind::host_error, doing + " failed: " + std::strerror(error) + "."};
}

Error bad_path(std::string_view path, const std::string& why) {
  return {ErrorKind::bad_argument,
          "The path \"" + base::to_valid_utf8(path) + "\" cannot be used: " + why +
              "; give a path below the workspace, for example \"data/input.csv\"."};
}

/// Names are judged before the kernel sees them, for a clear answer; RESOLVE_BENEATH is the wall.
std::optional<Error> judge_path(std::string_view path) {
  if (path.empty()) return bad_path(path, "it is empty");
  if (path.find('\0') != std::string_view::npos) return bad_path(path, "it holds a NUL");
  if (path.front() == '/') return bad_path(path, "it is absolute and outside the workspace");
  if (path.size() > 1024) return bad_path(path.substr(0, 64), "it is longer than 1024 bytes");
  std::size_t depth = 0;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part == ".") return bad_path(path, "it has an empty part");
    if (part == "..") return bad_path(path, "it leads outside");
    if (part.size() > 255) return bad_path(path.substr(0, 64), "a part is longer than 255 bytes");
    if (++depth > kDeepestFolder) return bad_path(path.substr(0, 64), "it is too deep");
    start = end + 1;
  }
  return std::nullopt;
}

/// Links resolved, as getcwd() gives it.
std::string real_path(const base::UniqueFd& folder) {
  std::error_code error;
  const std::string link = "/proc/self/fd/" + std::to_string(folder.get());
  return std::filesystem::read_symlink(link, error).string();
}

bool write_all(int file, std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = ::write(file, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

FileStamp stamp_of(const struct stat& status) {
  return {.inode = status.st_ino,
          .modified_ns = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec,
          .size = static_cast<Bytes>(status.st_size)};
}

}  // namespace

Workspace::Workspace(std::string path, base::UniqueFd folder, Kind kind, SeenAs seen_as,
                     const SecurityPolicy& policy)
    : path_(std::move(path)),
      session_paths_(
          seen_as == SeenAs::itself
              ? std::vector<std::string>{path_, real_path(folder)}
              : std::vector<std::string>{protocol::kWorkspace, protocol::kWorkspaceMount}),
      folder_(std::move(folder)),
      kind_(kind),
      max_file_bytes_(policy.max_file_bytes.value_or(std::numeric_limits<Bytes>::max())),
      max_total_bytes_(policy.workspace_bytes.value_or(std::numeric_limits<Bytes>::max())),
      max_files_(std::min<std::size_t>(policy.workspace_files.value_or(kMostFiles), kMostFiles)) {
  struct stat status {};
  if (::fstat(folder_.get(), &status) == 0) {
    owner_ = status.st_uid;
    group_ = status.st_gid;
  }
}

Workspace::~Workspace() {
  if (kind_ == Kind::private_folder && folder_) remove_tree(path_);
}

Expected<Workspace> Workspace::create(std::string path, const SecurityPolicy& policy) {
  if (::mkdir(path.c_str(), 0700) != 0) return failed("Making the workspace " + path, errno);
  base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return failed("Opening the workspace " + path, errno);
  return Workspace(std::move(path), std::move(folder), Kind::private_folder, SeenAs::itself,
                   policy);
}

Workspace Workspace::adopt(base::UniqueFd folder, const SecurityPolicy& policy) {
  return Workspace("", std::move(folder), Kind::memory, SeenAs::cage_workspace, policy);
}

Expected<void> Workspace::copy_to(const Workspace& other) const {
  return copy_tree(folder_.get(), other.folder_.get());
}

Expected<Workspace> Workspace::open(std::string path, const SecurityPolicy& policy,
                                    SeenAs seen_as) {
  base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    return Error{ErrorKind::bad_argument, "The policy's workspace_dir " + path +
                                              " cannot be opened: " + std::strerror(errno) + "."};
  }
  return Workspace(std::move(path), std::move(folder), Kind::host_folder, seen_as, policy);
}

Expected<std::string> Workspace::below(std::string_view path) const {
  for (const std::string& own : session_paths_) {
    const std::size_t length = own.ends_with('/') ? own.size() - 1 : own.size();
    // What is left is judged like any other path: no part of it may be "..".
    if (length > 0 && path.size() > length + 1 && path[length] == '/' &&
        path.starts_with(std::string_view(own).substr(0, length))) {
      path.remove_prefix(length + 1);
      break;
    }
  }
  if (auto refused = judge_path(path)) return *std::move(refused);
  return std::string(path);
}

Expected<base::UniqueFd> Workspace::open_beneath(const std::string& path, int flags,
                                                 unsigned mode) const {
  // O_NONBLOCK: a FIFO or a lease that the session left there hangs nobody.
  base::UniqueFd file =
      base::open_beneath(folder_.get(), path, flags | O_NONBLOCK | O_NOCTTY, mode);
  if (!file) {
    const int error = errno;
    if (error == ENOENT) return bad_path(path, "there is no such file");
    if (error == ELOOP || error == EXDEV) return bad_path(path, "a part of it is a link");
    if (error == ENXIO || error == EISDIR || error == ENOTDIR) {
      return bad_path(path, "it is no regular file");
    }
    return failed("Opening \"" + base::to_valid_utf8(path) + "\" in the workspace", error);
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return bad_path(path, "it is no regular file");
  }
  return file;
}

Expected<base::UniqueFd> Workspace::make_parents(const std::string& path) const {
  base::UniqueFd parent(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::size_t start = 0;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', start)) {
    const std::string part = path.substr(start, end - start);
    const bool made = ::mkdirat(parent.get(), part.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) return write_failed(part, errno);
    base::UniqueFd child(
        ::openat(parent.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!child) return bad_path(path, "\"" + base::to_valid_utf8(part) + "\" is no folder");
    if (made) static_cast<void>(::fchown(child.get(), owner_, group_));
    parent = std::move(child);
    start = end + 1;
  }
  return parent;
}

Error Workspace::write_failed(std::string_view path, int error) const {
  if (error == ENOSPC || error == EDQUOT) {
    return {ErrorKind::too_large,
            "The workspace is full: remove files first or raise workspace_bytes (" +
                std::to_string(max_total_bytes_) + ") and workspace_files (" +
                std::to_string(max_files_) + ")."};
  }
  return failed("Writing \"" + base::to_valid_utf8(path) + "\"", error);
}

Expected<void> Workspace::check_room(const std::string& path, Bytes added, Write mode) const {
  FileTree tree = scan();
  const auto old = tree.find(path);
  const Bytes kept = mode == Write::append && old != tree.end() ? old->second.size : 0;
  const Bytes file_size = kept + added;
  if (file_size > max_file_bytes_) {
    return Error{ErrorKind::too_large, "The file would be over the policy's max_file_bytes (" +
                                           std::to_string(max_file_bytes_) + ")."};
  }
  if (kind_ == Kind::memory) return {};  // the kernel counts there, and nobody else need
  if (old != tree.end()) tree.erase(old);
  Bytes total = file_size;
  for (const auto& [name, stamp] : tree) total += stamp.size;
  if (total > max_total_bytes_ || tree.size() >= max_files_) {
    return Error{ErrorKind::too_large,
                 "The workspace is full: remove files first or raise workspace_bytes (" +
                     std::to_string(max_total_bytes_) + ") and workspace_files (" +
                     std::to_string(max_files_) + ")."};
  }
  return {};
}

Expected<std::string> Workspace::upload(std::string_view path, std::string_view data,
                                        Write mode) const {
  auto name = below(path);
  if (!name) return name;
  if (auto room = check_room(*name, data.size(), mode); !room) return std::move(room).error();
  struct stat status {};
  const bool there = ::fstatat(folder_.get(), name->c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  auto written = there && mode == Write::append ? append(*name, data) : replace(*name, data);
  if (!written) return std::move(written).error();
  return name;
}

/// The file is whole and the session's own before it has its name.
Expected<void> Workspace::replace(const std::string& path, std::string_view data) const {
  auto parent = make_parents(path);
  if (!parent) return std::move(parent).error();
  const std::string name = path.substr(path.rfind('/') + 1);
  struct stat status {};
  if (::fstatat(parent->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      !S_ISREG(status.st_mode)) {
    return bad_path(path, S_ISLNK(status.st_mode) ? "it is a link" : "it is no regular file");
  }
  const std::string part = base::random_id(kPartPrefix);
  part_->set(part);
  base::UniqueFd file(::openat(parent->get(), part.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const bool done = file && write_all(file.get(), data) &&
                    ::fchown(file.get(), owner_, group_) == 0 &&
                    ::renameat(parent->get(), part.c_str(), parent->get(), name.c_str()) == 0;
  const int error = errno;
  if (!done) ::unlinkat(parent->get(), part.c_str(), 0);
  part_->set("");
  if (done) return {};
  if (error == EISDIR || error == ENOTDIR) return bad_path(path, "it is no regular file");
  return write_failed(path, error);
}

Expected<void> Workspace::append(const std::string& path, std::string_view data) const {
  auto file = open_beneath(path, O_WRONLY | O_APPEND, 0);
  if (!file) return std::move(file).error();
  if (!write_all(file->get(), data)) return write_failed(path, errno);
  return {};
}

Expected<Workspace::OpenFile> Workspace::open_to_read(std::string_view path) const {
  auto name = below(path);
  if (!name) return std::move(name).error();
  auto file = open_beneath(*name, O_RDONLY, 0);
  if (!file) return std::move(file).error();
  struct stat status {};
  ::fstat(file->get(), &status);
  return OpenFile{.path = *std::move(name), .fd = *std::move(file), .stamp = stamp_of(status)};
}

Expected<std::string> Workspace::download(std::string_view path, Bytes offset,
                                          std::optional<Bytes> limit) const {
  const auto file = open_to_read(path);
  if (!file) return file.error();
  const Bytes file_size = file->stamp.size;
  const Bytes rest = offset < file_size ? file_size - offset : 0;
  const Bytes wanted = std::min(rest, limit.value_or(rest));
  // One answer is bounded even when the policy's file size is not.
  constexpr Bytes kMostAtOnce = 1ULL << 30;
  if (wanted > std::min(max_file_bytes_, kMostAtOnce)) {
    return Error{ErrorKind::too_large,
                 "The file has " + std::to_string(file_size) +
                     " bytes, too many for one download: ask for parts by offset and limit."};
  }
  std::string data(wanted, '\0');
  Bytes done = 0;
  while (done < wanted) {
    const ssize_t got = ::pread(file->fd.get(), data.data() + done, wanted - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("Reading \"" + base::to_valid_utf8(path) + "\"", errno);
    if (got == 0) break;
    done += static_cast<Bytes>(got);
  }
  data.resize(done);
  return data;
}

void Workspace::PartName::set(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = std::move(name);
}

bool Workspace::PartName::is(std::string_view name) const {
  if (!name.starts_with(kPartPrefix)) return false;
  const std::lock_guard lock(mutex_);
  return name == name_;
}

Expected<std::vector<FileInfo>> Workspace::files() const {
  std::vector<FileInfo> list;
  for (const auto& [path, stamp] : scan()) list.push_back(describe(path, stamp));
  return list;
}

Expected<FileInfo> Workspace::stat(std::string_view path) const {
  const auto file = open_to_read(path);
  if (!file) return file.error();
  return describe(file->path, file->stamp);
}

FileTree Workspace::scan() const {
  FileTree tree;
  scan_folder(folder_.get(), ".", "", 0, tree);
  return tree;
}

void Workspace::scan_folder(int parent, const char* name, const std::string& prefix, int depth,
                            FileTree& tree) const {
  const auto folder = base::read_folder(
      base::UniqueFd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
  if (!folder) return;
  std::size_t entries = 0;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view entry_name(entry->d_name);
    if (entry_name == "." || entry_name == "..") continue;
    if (tree.size() >= max_files_ || ++entries > 4 * max_files_) return;
    // Asked before the file is: where the answer is no, the part has another name by then.
    if (part_->is(entry_name)) continue;
    struct stat status {};
    if (::fstatat(::dirfd(folder.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (S_ISREG(status.st_mode)) {
      tree.emplace(prefix + entry->d_name, stamp_of(status));
    } else if (S_ISDIR(status.st_mode) && depth < kDeepestFolder) {
      scan_folder(::dirfd(folder.get()), entry->d_name, prefix + entry->d_name + "/", depth + 1,
                  tree);
    }
  }
}

std::optional<FileStamp> Workspace::stamp(const std::string& path) const {
  if (part_->is(path.substr(path.rfind('/') + 1))) return std::nullopt;
  const auto file = base::open_beneath(folder_.get(), path, O_PATH | O_NOFOLLOW);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return stamp_of(status);
}

base::UniqueFd Workspace::open_folder(const std::string& prefix) const {
  return base::open_beneath(folder_.get(), prefix.empty() ? "." : prefix, O_RDONLY | O_DIRECTORY);
}

FileInfo describe(const std::string& path, const FileStamp& stamp) {
  return {.path = base::to_valid_utf8(path), .size = stamp.size, .mime = mime_type_of(path)};
}

FileChanges compare(const FileTree& before, const FileTree& after) {
  FileChanges changes;
  for (const auto& [path, stamp] : after) {
    const auto old = before.find(path);
    if (old == before.end()) {
      changes.created.push_back(describe(path, stamp));
    } else if (old->second != stamp) {
      changes.changed.push_back(describe(path, stamp));
    }
  }
  for (const auto& [path, stamp] : before) {
    if (!after.contains(path)) changes.deleted.push_back(describe(path, stamp));
  }
  return changes;
}

}  // namespace cellblock::host

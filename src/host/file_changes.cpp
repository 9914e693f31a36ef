#include "host/file_changes.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cellblock::host {
namespace {

using Files = std::map<std::string, FileInfo>;

Files by_path(const std::vector<FileInfo>& list) {
  Files files;
  for (const FileInfo& file : list) files.emplace(file.path, file);
  return files;
}

std::vector<FileInfo> listed(Files files) {
  std::vector<FileInfo> list;
  for (auto& [path, file] : files) list.push_back(std::move(file));
  return list;
}

}  // namespace

void merge(FileChanges& changes, const FileChanges& later) {
  if (later.created.empty() && later.changed.empty() && later.deleted.empty()) return;
  Files created = by_path(changes.created);
  Files changed = by_path(changes.changed);
  Files deleted = by_path(changes.deleted);
  for (const FileInfo& file : later.created) {
    (deleted.erase(file.path) > 0 ? changed : created)[file.path] = file;
  }
  for (const FileInfo& file : later.changed) {
    (created.contains(file.path) ? created : changed)[file.path] = file;
  }
  for (const FileInfo& file : later.deleted) {
    changed.erase(file.path);
    if (created.erase(file.path) == 0) deleted[file.path] = file;
  }
  changes = {.created = listed(std::move(created)),
             .changed = listed(std::move(changed)),
             .deleted = listed(std::move(deleted))};
}

}  // namespace cellblock::host

// What changed among the files of a workspace, without walking a large tree each time.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/unique_fd.hpp"
#include "host/workspace.hpp"

namespace cellblock::host {

/// A small tree is walked. A large one is watched with inotify, and only the names that the kernel
/// tells of are looked at; where there is no watch to be had (the user's limits), it is walked too.
/// What a program writes through a mapping of a file that it has closed is seen by a walk only.
/// Not thread-safe.
class WorkspaceWatch final {
 public:
  /// `workspace` outlives this. What is there now is no change.
  explicit WorkspaceWatch(const Workspace& workspace);

  /// Everything since the last call.
  FileChanges take_changes();
  /// The host itself wrote this file: no change to be told.
  void note(const std::string& path);
  /// The host is about to write this file: until the next call of this its changes wait; what a
  /// program made of it before is told still. Nothing: no file.
  void leave_out(std::optional<std::string> path);
  /// Whether the kernel tells of changes (the tree is large).
  [[nodiscard]] bool watching() const { return static_cast<bool>(inotify_); }

 private:
  struct Events;

  void start();
  void stop();
  bool add_folder(const std::string& prefix, std::set<std::string>* names);
  Events read_events();
  FileChanges changes_since();
  FileChanges walk();
  FileChanges look_at(const Events& events);

  const Workspace& workspace_;
  FileTree tree_;
  FileChanges before_;  // of files that the host has written over since
  std::optional<std::string> left_out_;
  std::set<std::string> put_off_;  // left out when the kernel told of them
  base::UniqueFd inotify_;
  std::unordered_map<int, std::string> prefixes_;  // watch: "" or "folder/"
};

}  // namespace cellblock::host

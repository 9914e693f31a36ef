// The workspace of one session or of several that share it, and which changes each is told of.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/session.hpp"
#include "host/workspace.hpp"
#include "host/workspace_watch.hpp"

namespace cellblock::host {

/// Thread-safe. Work on files goes on side by side, and no call waits for a transfer of another one
/// but uploads and move_to(): those come one at a time, so that room is counted right.
class SharedWorkspace final {
 public:
  /// One session, as far as changes go. A change is told to the execution that ends next, and to
  /// every other one that was under way: nothing tells which of them made it.
  class Reader final {
   public:
    /// An execution begins; take_changes() ends it. Does not block.
    void begin() { is_running_ = true; }

   private:
    friend class SharedWorkspace;
    std::atomic<bool> is_running_ = false;
    FileChanges missed_;  // under the workspace's lock
  };

  /// `workspace`: nothing where a process brings one in memory.
  SharedWorkspace(const SecurityPolicy& policy, std::optional<Workspace> workspace);

  [[nodiscard]] std::shared_ptr<Reader> add_reader();

  /// False: no process has brought it yet, or it was given up.
  [[nodiscard]] bool is_there();
  /// Its path; empty: in memory, or not there.
  [[nodiscard]] std::string folder();
  /// The tmpfs of a new cage takes the place of the old one and gets what that had, if `is_wanted`
  /// still says so when no other move is under way. Error kind: host_error.
  Expected<void> move_to(base::UniqueFd folder, const std::function<bool()>& is_wanted);
  /// What is left; later calls find nothing there. A private folder is removed with the last of its
  /// owners, of which transfers that are under way are some.
  [[nodiscard]] std::shared_ptr<const Workspace> give_up();

  // Error kinds: as Workspace's; host_error when it is not there.
  Expected<std::string> upload(std::string_view path, std::string_view data, Workspace::Write mode);
  Expected<std::string> download(std::string_view path, Bytes offset, std::optional<Bytes> limit);
  Expected<std::vector<FileInfo>> files();
  Expected<FileInfo> stat(std::string_view path);
  /// Blocks for a walk over the files at most.
  [[nodiscard]] FileChanges take_changes(Reader& reader);

 private:
  std::shared_ptr<const Workspace> current();
  void place(std::shared_ptr<const Workspace> workspace);
  void tell_running(const FileChanges& changes);

  const SecurityPolicy& policy_;
  std::mutex writer_mutex_;  // one upload or move at a time; taken before mutex_

  std::mutex mutex_;  // never held while bytes are moved
  std::shared_ptr<const Workspace> workspace_;
  std::optional<WorkspaceWatch> watch_;  // while there is a workspace
  std::vector<std::weak_ptr<Reader>> readers_;
};

}  // namespace cellblock::host

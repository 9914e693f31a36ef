// The file systems that one cage adds to its copy of the minimal root.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"
#include "protocol/messages.hpp"
#include "sandbox/cage.hpp"
#include "zygote/machine_files.hpp"
#include "zygote/session_user.hpp"

namespace cellblock::zygote {

/// Trees and their places, in the order in which they must be attached.
class CageMounts final {
 public:
  /// `ids`: where sessions are users of their own; the workspace belongs to that user. Nothing:
  /// they stay who the zygote is. Error kind: host_error; a clause.
  static Expected<CageMounts> make(const protocol::WorkspacePlan& workspace,
                                   const std::vector<std::string>& read_paths,
                                   MachineFiles& machine,
                                   const std::shared_ptr<sandbox::SessionIds>& ids);

  [[nodiscard]] std::span<const sandbox::CageMount> list() const { return list_; }
  base::UniqueFd take_workspace() { return std::move(workspace_); }
  std::optional<SessionUser> take_user() { return std::move(user_); }

 private:
  CageMounts() = default;
  Expected<void> add_folder(const std::string& folder, MachineFiles& machine, bool change_user);
  Expected<void> add_tmpfs(const protocol::WorkspacePlan& workspace,
                           const std::shared_ptr<sandbox::SessionIds>& ids);
  Expected<void> add_temporary();
  void add(int tree, std::string path);

  std::list<base::UniqueFd> trees_;
  std::list<std::string> paths_;
  std::vector<sandbox::CageMount> list_;
  base::UniqueFd workspace_;
  std::optional<SessionUser> user_;
};

}  // namespace cellblock::zygote

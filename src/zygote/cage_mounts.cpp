#include "zygote/cage_mounts.hpp"

#include <sys/mount.h>
#include <sys/stat.h>

#include <utility>

#include "sandbox/minimal_root.hpp"
#include "sandbox/tmpfs.hpp"

namespace cellblock::zygote {
namespace {

constexpr sandbox::TmpfsLimits kTemporaryLimits{.bytes = protocol::kTemporaryBytes,
                                                .files = protocol::kTemporaryFiles};

sandbox::TmpfsRoot root_of(const std::optional<SessionUser>& user) {
  return user ? sandbox::TmpfsRoot{.user = user->id(), .group = user->id()} : sandbox::TmpfsRoot{};
}

}  // namespace

Expected<CageMounts> CageMounts::make(const protocol::WorkspacePlan& workspace,
                                      const std::vector<std::string>& read_paths,
                                      MachineFiles& machine,
                                      const std::shared_ptr<sandbox::SessionIds>& ids) {
  CageMounts mounts;
  auto added = workspace.folder.empty()
                   ? mounts.add_tmpfs(workspace, ids)
                   : mounts.add_folder(workspace.folder, machine, ids != nullptr);
  if (!added) return std::move(added).error();
  if (auto temporary = mounts.add_temporary(); !temporary) return std::move(temporary).error();
  auto shown = machine.show(read_paths, mounts.trees_.back().get());
  if (!shown) return std::move(shown).error();
  for (ShownPath& path : *shown) {
    mounts.trees_.push_back(std::move(path.tree));
    mounts.add(mounts.trees_.back().get(), std::move(path.path));
  }
  return mounts;
}

Expected<void> CageMounts::add_folder(const std::string& folder, MachineFiles& machine,
                                      bool change_user) {
  auto tree = machine.clone(folder, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  if (!tree) return std::move(tree).error();
  struct stat status {};
  ::fstat(tree->get(), &status);
  // Its owner must be able to use what the session leaves there, and the session what is there.
  if (change_user) user_.emplace(status.st_uid, nullptr);
  trees_.push_back(*std::move(tree));
  add(trees_.back().get(), sandbox::kWorkspaceMount);
  return {};
}

Expected<void> CageMounts::add_tmpfs(const protocol::WorkspacePlan& workspace,
                                     const std::shared_ptr<sandbox::SessionIds>& ids) {
  if (ids) {
    const auto id = ids->take();
    if (!id) {
      return Error{ErrorKind::host_error, "cannot find a user number that no session has"};
    }
    user_.emplace(*id, ids);
  }
  auto tree =
      sandbox::make_tmpfs({.bytes = workspace.bytes, .files = workspace.files}, root_of(user_));
  if (!tree) return std::move(tree).error();
  workspace_ = *std::move(tree);
  add(workspace_.get(), sandbox::kWorkspaceMount);
  return {};
}

Expected<void> CageMounts::add_temporary() {
  auto tree = sandbox::make_tmpfs(kTemporaryLimits, root_of(user_));
  if (!tree) return std::move(tree).error();
  trees_.push_back(*std::move(tree));
  add(trees_.back().get(), sandbox::kTemporaryMount);
  return {};
}

void CageMounts::add(int tree, std::string path) {
  paths_.push_back(std::move(path));
  list_.push_back({.tree = tree, .path = paths_.back().c_str()});
}

}  // namespace cellblock::zygote

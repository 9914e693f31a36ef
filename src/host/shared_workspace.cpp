#include "host/shared_workspace.hpp"

#include <utility>

#include "host/file_changes.hpp"

namespace cellblock::host {
namespace {

Error not_there() { return {ErrorKind::host_error, "The workspace is not there."}; }

}  // namespace

SharedWorkspace::SharedWorkspace(const SecurityPolicy& policy, std::optional<Workspace> workspace)
    : policy_(policy), workspace_(std::move(workspace)) {
  if (workspace_) watch_.emplace(*workspace_);
}

std::shared_ptr<SharedWorkspace::Reader> SharedWorkspace::add_reader() {
  auto reader = std::make_shared<Reader>();
  const std::lock_guard lock(mutex_);
  std::erase_if(readers_, [](const auto& known) { return known.expired(); });
  readers_.push_back(reader);
  return reader;
}

bool SharedWorkspace::is_there() {
  const std::lock_guard lock(mutex_);
  return workspace_.has_value();
}

std::string SharedWorkspace::folder() {
  const std::lock_guard lock(mutex_);
  return workspace_ ? workspace_->path() : "";
}

Expected<void> SharedWorkspace::move_to(base::UniqueFd folder,
                                        const std::function<bool()>& is_wanted) {
  const std::lock_guard lock(mutex_);
  if (!is_wanted()) return {};
  Workspace fresh = Workspace::adopt(std::move(folder), policy_);
  if (workspace_) {
    if (auto moved = workspace_->copy_to(fresh); !moved) return moved;
  }
  watch_.reset();
  workspace_ = std::move(fresh);
  watch_.emplace(*workspace_);
  return {};
}

std::optional<Workspace> SharedWorkspace::give_up() {
  const std::lock_guard lock(mutex_);
  watch_.reset();
  return std::exchange(workspace_, std::nullopt);
}

Expected<std::string> SharedWorkspace::upload(std::string_view path, std::string_view data,
                                              Workspace::Write mode) {
  const std::lock_guard lock(mutex_);
  if (!workspace_) return not_there();
  auto written = workspace_->upload(path, data, mode);
  // What the caller put there is no change of an execution's.
  if (written) watch_->note(*written);
  return written;
}

Expected<std::string> SharedWorkspace::download(std::string_view path, Bytes offset,
                                                std::optional<Bytes> limit) {
  const std::lock_guard lock(mutex_);
  if (!workspace_) return not_there();
  return workspace_->download(path, offset, limit);
}

Expected<std::vector<FileInfo>> SharedWorkspace::files() {
  const std::lock_guard lock(mutex_);
  if (!workspace_) return not_there();
  return workspace_->files();
}

FileChanges SharedWorkspace::take_changes(Reader& reader) {
  const std::lock_guard lock(mutex_);
  reader.is_running_ = false;
  if (!workspace_) return {};
  const FileChanges fresh = watch_->take_changes();
  for (const auto& known : readers_) {
    const auto other = known.lock();
    if (other && other->is_running_) merge(other->missed_, fresh);
  }
  FileChanges changes = std::exchange(reader.missed_, {});
  merge(changes, fresh);
  return changes;
}

}  // namespace cellblock::host

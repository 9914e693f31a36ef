#include "host/shared_workspace.hpp"

#include <utility>

#include "host/file_changes.hpp"

namespace cellblock::host {
namespace {

Error not_there() { return {ErrorKind::host_error, "The workspace is not there."}; }

}  // namespace

SharedWorkspace::SharedWorkspace(const SecurityPolicy& policy, std::optional<Workspace> workspace)
    : policy_(policy) {
  if (workspace) place(std::make_shared<const Workspace>(*std::move(workspace)));
}

std::shared_ptr<SharedWorkspace::Reader> SharedWorkspace::add_reader() {
  auto reader = std::make_shared<Reader>();
  const std::lock_guard lock(mutex_);
  std::erase_if(readers_, [](const auto& known) { return known.expired(); });
  readers_.push_back(reader);
  return reader;
}

std::shared_ptr<const Workspace> SharedWorkspace::current() {
  const std::lock_guard lock(mutex_);
  return workspace_;
}

bool SharedWorkspace::is_there() { return current() != nullptr; }

std::string SharedWorkspace::folder() {
  const auto workspace = current();
  return workspace ? workspace->path() : "";
}

/// Under the lock.
void SharedWorkspace::place(std::shared_ptr<const Workspace> workspace) {
  watch_.reset();
  workspace_ = std::move(workspace);
  watch_.emplace(*workspace_);
}

Expected<void> SharedWorkspace::move_to(base::UniqueFd folder,
                                        const std::function<bool()>& is_wanted) {
  const std::lock_guard alone(writer_mutex_);
  if (!is_wanted()) return {};
  auto fresh = std::make_shared<const Workspace>(Workspace::adopt(std::move(folder), policy_));
  const auto old = current();
  if (old) {
    if (auto moved = old->copy_to(*fresh); !moved) return moved;
  }
  const std::lock_guard lock(mutex_);
  if (workspace_ != old) return {};  // given up meanwhile
  // Of those that are to be told, some may not have asked yet.
  if (watch_) tell_running(watch_->take_changes());
  place(std::move(fresh));
  return {};
}

std::shared_ptr<const Workspace> SharedWorkspace::give_up() {
  const std::lock_guard lock(mutex_);
  watch_.reset();
  return std::exchange(workspace_, nullptr);
}

Expected<std::string> SharedWorkspace::upload(std::string_view path, std::string_view data,
                                              Workspace::Write mode) {
  const std::lock_guard alone(writer_mutex_);
  const auto workspace = current();
  if (!workspace) return not_there();
  auto name = workspace->below(path);
  if (!name) return name;
  {
    const std::lock_guard lock(mutex_);
    // What the caller puts there is no change of an execution's.
    if (watch_) watch_->leave_out(*name);
  }
  auto written = workspace->upload(*name, data, mode);
  const std::lock_guard lock(mutex_);
  if (!watch_) return written;
  watch_->leave_out(std::nullopt);
  if (written) watch_->note(*name);
  return written;
}

Expected<std::string> SharedWorkspace::download(std::string_view path, Bytes offset,
                                                std::optional<Bytes> limit) {
  const auto workspace = current();
  if (!workspace) return not_there();
  return workspace->download(path, offset, limit);
}

Expected<std::vector<FileInfo>> SharedWorkspace::files() {
  const auto workspace = current();
  if (!workspace) return not_there();
  return workspace->files();
}

Expected<FileInfo> SharedWorkspace::stat(std::string_view path) {
  const auto workspace = current();
  if (!workspace) return not_there();
  return workspace->stat(path);
}

/// Under the lock.
void SharedWorkspace::tell_running(const FileChanges& changes) {
  for (const auto& known : readers_) {
    const auto reader = known.lock();
    if (reader && reader->is_running_) merge(reader->missed_, changes);
  }
}

FileChanges SharedWorkspace::take_changes(Reader& reader) {
  const std::lock_guard lock(mutex_);
  reader.is_running_ = false;
  FileChanges changes = std::exchange(reader.missed_, {});
  if (!watch_) return changes;
  const FileChanges fresh = watch_->take_changes();
  tell_running(fresh);
  merge(changes, fresh);
  return changes;
}

}  // namespace cellblock::host

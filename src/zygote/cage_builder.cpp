#include "zygote/cage_builder.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/pidfd.hpp"
#include "sandbox/init_image.hpp"
#include "zygote/cage_mounts.hpp"

namespace cellblock::zygote {
namespace {

std::string sentence(const sandbox::Failure& failure) {
  return std::string("cannot ") + failure.step + " (" + std::strerror(failure.error) + ")";
}

}  // namespace

CageBuilder::CageBuilder(const Options& options)
    : proc_(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC)),
      liveness_fd_(options.liveness_fd),
      without_ids_(options.is_without("ids")) {
  if (options.is_without("pid_namespace")) {
    detail_ = "switched off";
    return;
  }
  auto image = sandbox::make_init_image();
  if (!image) {
    detail_ = image.error().message;
    return;
  }
  image_ = std::move(*image);
  self_ = base::open_pidfd(::getpid());
  if (const auto range = sandbox::find_session_ids(); range && !without_ids_) {
    ids_ = std::make_shared<sandbox::SessionIds>(*range);
  }
  cages_have({});
  detail_ = try_out();
  if (!detail_.empty()) starter_.reset();
}

Expected<void> CageBuilder::use_minimal_root(MachineFiles machine) {
  machine_.emplace(std::move(machine));
  // Where sessions can have user numbers of their own a user namespace for each is not needed.
  cages_have({.mounts = true, .user = ids_ == nullptr && !without_ids_});
  if (std::string problem = try_out(); !problem.empty()) {
    return Error{ErrorKind::host_error, "The zygote " + problem + "."};
  }
  return {};
}

void CageBuilder::cages_have(sandbox::CageNamespaces namespaces) {
  starter_.emplace(sandbox::CageParts{.image = image_.get(),
                                      .liveness = liveness_fd_,
                                      .self = self_.get(),
                                      .proc = proc_.get()},
                   namespaces);
}

std::string CageBuilder::try_out() {
  auto cage = build({});
  if (!cage) return cage.error().message;
  std::string problem;
  // Leaving is tried first with nothing at stake: it needs rights over our own namespace, and a
  // process that entered and cannot leave is lost.
  if (const auto failure = starter_->leave()) {
    problem = sentence(failure);
  } else if (const auto entering = sandbox::CageStarter::enter(cage->init)) {
    problem = sentence(entering);
  } else if (const auto leaving = starter_->leave()) {
    problem = sentence(leaving);
  }
  base::send_signal(cage->init.pidfd.get(), SIGKILL);
  ::waitpid(cage->init.pid, nullptr, 0);
  return problem;
}

Expected<Cage> CageBuilder::take(const CageRequest& request) {
  last_request_ = request;
  // A machine short of memory ends what it likes.
  if (prepared_ && base::is_ending(prepared_->cage.init.pidfd.get())) prepared_.reset();
  if (prepared_ && prepared_->request == request) {
    Cage cage = std::move(prepared_->cage);
    prepared_.reset();
    return cage;
  }
  return build(request);
}

void CageBuilder::prepare() {
  if (!available() || (prepared_ && prepared_->request == last_request_)) return;
  if (prepared_) base::send_signal(prepared_->cage.init.pidfd.get(), SIGKILL);
  prepared_.reset();
  // A folder of the machine is looked at when it is needed: it may be another one by then.
  if (!last_request_.workspace.folder.empty() || !last_request_.read_paths.empty()) return;
  // What cannot be made now is tried again, and told, when a session asks for it.
  if (auto cage = build(last_request_)) prepared_.emplace(last_request_, *std::move(cage));
}

Expected<std::optional<Cage>> CageBuilder::join(const Cage& other) {
  CageSpace& space = *other.space;
  if (!space.files.is_open()) {
    const auto failure = sandbox::open_namespaces(other.init.pidfd.get(), space.namespaces,
                                                  proc_.get(), space.files);
    if (failure.error == ESRCH || (failure && base::is_ending(other.init.pidfd.get()))) {
      return std::optional<Cage>();
    }
    if (failure) return Error{ErrorKind::host_error, sentence(failure)};
  }
  Cage cage{.init = {}, .space = other.space, .workspace = {}};
  if (const auto failure = starter_->start_further_init(cage.init)) {
    if (cage.init.pid > 0) ::waitpid(cage.init.pid, nullptr, 0);
    return Error{ErrorKind::host_error, sentence(failure)};
  }
  return std::optional(std::move(cage));
}

Expected<Cage> CageBuilder::build(const CageRequest& request) {
  if (machine_) return build_with_mounts(request);
  Cage cage{.init = {}, .space = std::make_shared<CageSpace>(), .workspace = {}};
  if (const auto failure = starter_->start_init(cage.init, {})) {
    if (cage.init.pid > 0) ::waitpid(cage.init.pid, nullptr, 0);
    return Error{ErrorKind::host_error, sentence(failure)};
  }
  return cage;
}

Expected<Cage> CageBuilder::build_with_mounts(const CageRequest& request) {
  Cage cage{.init = {}, .space = std::make_shared<CageSpace>(), .workspace = {}};
  cage.space->namespaces = starter_->namespaces();
  auto mounts = CageMounts::make(request.workspace, request.read_paths, *machine_, ids_);
  if (!mounts) return std::move(mounts).error();
  if (const auto failure = starter_->start_init(cage.init, mounts->list())) {
    if (cage.init.pid > 0) ::waitpid(cage.init.pid, nullptr, 0);
    return Error{ErrorKind::host_error, sentence(failure)};
  }
  cage.workspace = mounts->take_workspace();
  cage.space->user = mounts->take_user();
  return cage;
}

}  // namespace cellblock::zygote

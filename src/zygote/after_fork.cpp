#include "zygote/after_fork.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/socket.hpp"
#include "protocol/frame.hpp"
#include "python/fork_hooks.hpp"
#include "python/subinterpreter.hpp"
#include "sandbox/cage.hpp"
#include "sandbox/capabilities.hpp"
#include "sandbox/cgroup.hpp"
#include "sandbox/descriptors.hpp"
#include "sandbox/ids.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/minimal_root.hpp"
#include "sandbox/namespace_files.hpp"
#include "sandbox/no_new_privileges.hpp"
#include "sandbox/parent_death.hpp"
#include "sandbox/resource_limits.hpp"
#include "sandbox/seccomp_filter.hpp"
#include "sandbox/session_keyring.hpp"
#include "session/memory_reserve.hpp"
#include "session/request_loop.hpp"
#include "zygote/layer_report.hpp"

namespace cellblock::zygote {
namespace {

using sandbox::Failure;

constexpr int kNotStarted = 125;
constexpr timespec kTimeToBeEnded{.tv_sec = 2, .tv_nsec = 0};

[[noreturn]] void give_up(int channel, const std::string& message) {
  base::send_all(channel, protocol::encode_frame(protocol::FrameType::session_failed, 0,
                                                 protocol::SessionFailed{message}.encode()));
  ::_exit(kNotStarted);
}

// What a step of confinement works on. Nothing in it changes.
struct Confinement {
  const ZygoteFacts& facts;
  const protocol::ForkRequest& request;
  const Cage* cage;
  const SessionFds& fds;
  const std::vector<sandbox::PathRule>& own_paths;
  const protocol::ResourceLimits& limits;
};

struct Step {
  const char* layer;
  Failure (*run)(const Confinement&);
};

// What the other steps use counts as the session's.
Failure join_cgroups(const Confinement& session) {
  return sandbox::join_cgroups(session.fds.cgroups);
}

Failure join_cage(const Confinement& session) {
  if (session.cage == nullptr) return {};
  const CageSpace& space = *session.cage->space;
  if (space.files.is_open()) return sandbox::join_namespaces(space.files);
  // Its own init lives in the cage only for the session that founds it.
  if (session.request.joins_cage && (space.namespaces.mounts || space.namespaces.user)) {
    return {"join the cage's namespaces", EBADF};
  }
  return sandbox::join_namespaces(session.cage->init.pidfd.get(), space.namespaces);
}

Failure start_own_session(const Confinement& /*session*/) {
  return sandbox::check(::setsid(), "start a process session");
}

Failure join_new_keyring(const Confinement& /*session*/) { return sandbox::join_new_keyring(); }

// While the right to drop it is there, which goes with the user.
Failure drop_bounding_set(const Confinement& /*session*/) { return sandbox::drop_bounding_set(); }

Failure become_own_user(const Confinement& session) {
  if (session.cage == nullptr || !session.cage->space->user) return {};
  return sandbox::become_user(session.cage->space->user->id());
}

Failure drop_capabilities(const Confinement& /*session*/) { return sandbox::drop_capabilities(); }

Failure forbid_new_privileges(const Confinement& /*session*/) {
  return sandbox::forbid_new_privileges();
}

Failure die_with_the_others(const Confinement& session) {
  if (const Failure failure = sandbox::die_with_parent()) return failure;
  if (!sandbox::host_is_alive(session.facts.liveness_fd)) ::_exit(kNotStarted);
  return {};
}

Failure apply_landlock(const Confinement& session) {
  const sandbox::Landlock& landlock = *session.facts.landlock;
  return session.own_paths.empty() ? landlock.restrict_self()
                                   : landlock.restrict_self_and(session.own_paths);
}

Failure arrange(const SessionFds& fds) {
  return sandbox::arrange_descriptors(fds.channel.get(), fds.out.get(), fds.err.get(),
                                      fds.stack.get());
}

Failure arrange_descriptors(const Confinement& session) { return arrange(session.fds); }

Failure apply_limits(const Confinement& session) {
  return sandbox::apply_limits(session.limits, session.facts.base_data_bytes);
}

Failure forbid_dumps(const Confinement& /*session*/) { return sandbox::forbid_dumps(); }

Failure install_filter(const Confinement& session) {
  sandbox::FilterPrograms& filters = *session.facts.filters;
  return sandbox::install_filter(session.limits.processes == 0U ? filters.without_children
                                                                : filters.with_children);
}

// The order of confinement. Each needs what those before it have not yet taken away: Landlock's
// rules stand on descriptors, and after the filter there is nothing more to set up.
constexpr std::array kSteps{
    Step{"cgroup", &join_cgroups},
    Step{"cage", &join_cage},
    Step{"process_group", &start_own_session},
    Step{"keyring", &join_new_keyring},
    Step{"capabilities", &drop_bounding_set},
    Step{"ids", &become_own_user},
    Step{"capabilities", &drop_capabilities},
    Step{"no_new_privs", &forbid_new_privileges},
    Step{"parent_death", &die_with_the_others},
    Step{"landlock", &apply_landlock},
    Step{"descriptors", &arrange_descriptors},
    Step{"rlimits", &apply_limits},
    Step{"not_dumpable", &forbid_dumps},
    Step{"seccomp", &install_filter},
};

struct Refusal {
  Failure failure;
  const char* layer = "";
};

// Raw calls only: nothing here allocates or locks.
Refusal confine(const Confinement& session) {
  for (const Step& step : kSteps) {
    if (session.request.is_switched_off(step.layer)) continue;
    if (session.request.failing_step == step.layer) {
      return {{"pass a step that fails on purpose", ECANCELED}, step.layer};
    }
    if (const Failure failure = step.run(session)) return {failure, step.layer};
  }
  return {};
}

Failure receive_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  return sandbox::check(::sigprocmask(SIG_SETMASK, &none, nullptr), "unblock signals");
}

bool has_own_mounts(const Cage* cage) { return cage != nullptr && cage->space->namespaces.mounts; }

std::string workspace_of(const protocol::ForkRequest& request, const Cage* cage) {
  if (has_own_mounts(cage)) return sandbox::kWorkspace;
  return request.workspace.folder.empty() ? "/" : request.workspace.folder;
}

/// What this session may open beyond the rules that hold for all.
std::vector<sandbox::PathRule> own_paths(const protocol::ForkRequest& request, const Cage* cage) {
  std::vector<sandbox::PathRule> rules;
  for (const std::string& path : request.read_paths) {
    rules.push_back({path, sandbox::PathAccess::read});
  }
  if (!has_own_mounts(cage)) {
    rules.push_back({workspace_of(request, cage), sandbox::PathAccess::read_write});
  }
  return rules;
}

/// The process's interpreter stays as it was in the zygote; the session's code runs in a new one.
python::Runtime in_subinterpreter() {
  auto made = python::Subinterpreter::create();
  if (!made) give_up(sandbox::kChannelFd, made.error().message);
  // For the process's life: nothing is ever torn down here.
  static const auto kept = *std::move(made);
  kept->move_in();
  python::interrupt_on_sigint(*kept);
  auto runtime = python::Runtime::load();
  if (!runtime) give_up(sandbox::kChannelFd, runtime.error().message);
  return *std::move(runtime);
}

}  // namespace

void become_session(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                    const Cage* cage, const SessionFds& fds, python::Runtime& runtime) {
  auto config = protocol::SessionConfig::decode(request.config);
  if (!config) give_up(fds.channel.get(), config.error().message);
  config->workspace = workspace_of(request, cage);
  const auto paths = own_paths(request, cage);
  const auto limits = limits_in(cage, request.limits);

  Refusal refusal{receive_signals(), "signals"};
  if (!refusal.failure && request.mode == protocol::ForkMode::bare) {
    // The benchmark's plain fork: its descriptors, and nothing else.
    refusal = {arrange(fds), "descriptors"};
  } else if (!refusal.failure) {
    refusal = confine({facts, request, cage, fds, paths, limits});
  }
  if (refusal.failure) {
    // The table may be half arranged: both numbers that the channel can have are tried.
    const std::string message = std::string("The session cannot ") + refusal.failure.step + " (" +
                                std::strerror(refusal.failure.error) + "), step " + refusal.layer +
                                " of its confinement; see cellblock doctor.";
    const bool moved = sandbox::descriptors_are_exact();
    give_up(moved ? sandbox::kChannelFd : fds.channel.get(), message);
  }

  python::after_fork_child();
  static session::Channel channel(sandbox::kChannelFd);
  std::optional<python::Runtime> own;
  if (config->interpreter == "sub") own = in_subinterpreter();
  python::Runtime& used = own ? *own : runtime;
  if (const auto started = used.start(*config, channel); !started) {
    give_up(sandbox::kChannelFd, started.error().message);
  }
  const protocol::SessionReady ready{.layers = observed_layers(facts, request, cage)};
  if (!channel.send(protocol::FrameType::session_ready, 0, ready.encode())) ::_exit(0);
  session::keep_memory_reserve();
  if (session::run_request_loop(channel, used) == session::LoopEnd::cannot_answer) {
    // The host sees it and ends the process, which tells the reason better than an exit of ours,
    // that would look like the code's. The bound is for a host that is gone.
    ::nanosleep(&kTimeToBeEnded, nullptr);
  }
  ::_exit(0);
}

}  // namespace cellblock::zygote

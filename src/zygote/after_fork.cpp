#include "zygote/after_fork.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>

#include "base/socket.hpp"
#include "protocol/frame.hpp"
#include "python/fork_hooks.hpp"
#include "python/subinterpreter.hpp"
#include "sandbox/capabilities.hpp"
#include "sandbox/descriptors.hpp"
#include "sandbox/no_new_privileges.hpp"
#include "sandbox/parent_death.hpp"
#include "sandbox/resource_limits.hpp"
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

Failure receive_signals() {
  sigset_t none;
  ::sigemptyset(&none);
  return sandbox::check(::sigprocmask(SIG_SETMASK, &none, nullptr), "unblock signals");
}

Failure start_own_session() { return sandbox::check(::setsid(), "start a process session"); }

Failure die_with_the_others(const ZygoteFacts& facts) {
  if (const Failure failure = sandbox::die_with_parent()) return failure;
  if (!sandbox::host_is_alive(facts.liveness_fd)) ::_exit(kNotStarted);
  return {};
}

// The order of confinement. Raw calls only: nothing here allocates or locks.
Failure confine(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                const SessionFds& fds) {
  if (const Failure failure = start_own_session()) return failure;
  if (const Failure failure = sandbox::drop_capabilities()) return failure;
  if (const Failure failure = sandbox::forbid_new_privileges()) return failure;
  if (const Failure failure = die_with_the_others(facts)) return failure;
  if (const Failure failure =
          sandbox::arrange_descriptors(fds.channel.get(), fds.out.get(), fds.err.get())) {
    return failure;
  }
  if (const Failure failure = sandbox::apply_limits(request.limits, facts.base_data_bytes)) {
    return failure;
  }
  return sandbox::forbid_dumps();
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

// The benchmark's plain fork: its descriptors, and nothing else.
Failure leave_unconfined(const SessionFds& fds) {
  return sandbox::arrange_descriptors(fds.channel.get(), fds.out.get(), fds.err.get());
}

}  // namespace

void become_session(const ZygoteFacts& facts, const protocol::ForkRequest& request, Caged caged,
                    const SessionFds& fds, python::Runtime& runtime) {
  const bool bare = request.mode == protocol::ForkMode::bare;
  Failure failure = receive_signals();
  if (!failure) failure = bare ? leave_unconfined(fds) : confine(facts, request, fds);
  if (failure) {
    // The table may be half arranged: both numbers that the channel can have are tried.
    const std::string message = std::string("The session cannot ") + failure.step + " (" +
                                std::strerror(failure.error) + ").";
    const bool moved = sandbox::descriptors_are_exact();
    give_up(moved ? sandbox::kChannelFd : fds.channel.get(), message);
  }

  python::after_fork_child();
  static session::Channel channel(sandbox::kChannelFd);
  const auto config = protocol::SessionConfig::decode(request.config);
  if (!config) give_up(sandbox::kChannelFd, config.error().message);
  std::optional<python::Runtime> own;
  if (config->interpreter == "sub") own = in_subinterpreter();
  python::Runtime& used = own ? *own : runtime;
  if (const auto started = used.start(*config, channel); !started) {
    give_up(sandbox::kChannelFd, started.error().message);
  }
  const protocol::SessionReady ready{.layers = observed_layers(facts, request, caged)};
  if (!channel.send(protocol::FrameType::session_ready, 0, ready.encode())) ::_exit(0);
  if (session::run_request_loop(channel, used) == session::LoopEnd::cannot_answer) {
    // The host sees it and ends the process, which tells the reason better than an exit of ours,
    // that would look like the code's. The bound is for a host that is gone.
    ::nanosleep(&kTimeToBeEnded, nullptr);
  }
  ::_exit(0);
}

}  // namespace cellblock::zygote

#include "zygote/fork_server.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "base/pidfd.hpp"
#include "base/socket.hpp"
#include "protocol/messages.hpp"
#include "python/fork_hooks.hpp"
#include "sandbox/orphans.hpp"

namespace cellblock::zygote {
namespace {

using protocol::FrameType;

// Channel, stdout, stderr, stacks; those of the control groups come on top.
constexpr std::size_t kDescriptorsOfARequest = 4;

base::UniqueFd watch_children() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  return base::UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// A cage's orphans stay in it. Without cages the zygote takes them in, to end them.
Reaper::Orphans orphan_policy(const CageBuilder& cages) {
  const bool needed = !cages.available();
  return needed && sandbox::adopt_orphans() ? Reaper::Orphans::killed : Reaper::Orphans::left_alone;
}

}  // namespace

ForkServer::ForkServer(int control_fd, const ZygoteFacts& facts, CageBuilder& cages,
                       python::Runtime& runtime)
    : control_fd_(control_fd),
      facts_(facts),
      cages_(cages),
      runtime_(runtime),
      child_signals_(watch_children()),
      reaper_(orphan_policy(cages)) {}

void ForkServer::run() {
  if (!child_signals_) end_everything();
  for (;;) {
    std::array<pollfd, 3> events{{{.fd = facts_.liveness_fd, .events = POLLIN, .revents = 0},
                                  {.fd = control_fd_, .events = POLLIN, .revents = 0},
                                  {.fd = child_signals_.get(), .events = POLLIN, .revents = 0}}};
    if (::poll(events.data(), events.size(), -1) < 0) {
      if (errno == EINTR) continue;
      end_everything();
    }
    if (events[0].revents != 0) end_everything();
    if (events[2].revents != 0) report_exits();
    if (events[1].revents != 0) receive_requests();
  }
}

void ForkServer::receive_requests() {
  std::string bytes;
  if (base::receive_some(control_fd_, bytes, received_) != base::IoStatus::ok) end_everything();
  parser_.feed(bytes);
  for (;;) {
    const auto frame = parser_.next();
    if (!frame) end_everything();
    if (!*frame) return;
    serve(**frame);
    cages_.prepare();
  }
}

void ForkServer::serve(const protocol::Frame& frame) {
  if (frame.type != FrameType::fork_request) end_everything();
  const auto request = protocol::ForkRequest::decode(frame.body);
  if (!request) end_everything();
  const std::size_t expected = kDescriptorsOfARequest + request->cgroups;
  if (frame.descriptor_count != expected || received_.size() < expected) end_everything();
  SessionFds fds{.channel = std::move(received_[0]),
                 .out = std::move(received_[1]),
                 .err = std::move(received_[2]),
                 .stack = std::move(received_[3]),
                 .cgroups = {}};
  const auto rest = std::next(received_.begin(), static_cast<std::ptrdiff_t>(expected));
  std::move(std::next(received_.begin(), kDescriptorsOfARequest), rest,
            std::back_inserter(fds.cgroups));
  received_.erase(received_.begin(), rest);
  const auto failed = fork_session(frame.id, *request, fds);
  if (!failed.error.empty()) reply(frame.id, failed, {});
}

Expected<std::optional<Cage>> ForkServer::find_cage(const protocol::ForkRequest& request) {
  if (request.joins_cage) {
    const Cage* const other = reaper_.find_cage(request.cage);
    return other != nullptr ? cages_.join(*other) : std::optional<Cage>();
  }
  auto taken = cages_.take({.workspace = request.workspace, .read_paths = request.read_paths});
  if (!taken) return std::move(taken).error();
  taken->space->number = request.cage;
  return std::optional(*std::move(taken));
}

protocol::ForkReply ForkServer::fork_session(std::uint64_t fork_id,
                                             const protocol::ForkRequest& request,
                                             const SessionFds& fds) {
  std::optional<Cage> cage;
  if (request.mode == protocol::ForkMode::cage && cages_.available()) {
    auto found = find_cage(request);
    if (!found) {
      return {.error = "No cage can be had for the session: " + found.error().message + "."};
    }
    if (!*found) return {.error = "The cage to be shared has ended.", .cage_is_gone = true};
    cage = *std::move(found);
    if (!CageBuilder::enter(*cage)) {
      base::send_signal(cage->init.pidfd.get(), SIGKILL);
      return {.error = "The cage of the session was ended from outside: open the session again."};
    }
  }

  python::before_fork();
  const pid_t pid = ::fork();
  if (pid == 0) {
    become_session(facts_, request, cage ? &*cage : nullptr, fds, runtime_);
  }
  const int error = errno;
  python::after_fork_parent();

  // A zygote that cannot leave would put the next session into this one's cage.
  if (cage && !cages_.leave()) end_everything();
  if (pid < 0) {
    if (cage) base::send_signal(cage->init.pidfd.get(), SIGKILL);
    return {.error = std::string("The session cannot be forked (") + std::strerror(error) +
                     "): close sessions, or allow more processes and memory."};
  }
  const base::UniqueFd pidfd = base::open_pidfd(pid);
  const std::array descriptors{pidfd.get(), cage ? cage->init.pidfd.get() : -1,
                               cage ? cage->workspace.get() : -1};
  const auto count = std::find(descriptors.begin(), descriptors.end(), -1) - descriptors.begin();
  reply(fork_id, {}, std::span(descriptors).first(static_cast<std::size_t>(count)));
  // The host's descriptor alone keeps the files.
  if (cage) cage->workspace.reset();
  reaper_.add(fork_id, pid, std::move(cage));
  return {};
}

void ForkServer::reply(std::uint64_t fork_id, const protocol::ForkReply& reply,
                       std::span<const int> descriptors) {
  send(FrameType::fork_reply, fork_id, reply.encode(), descriptors);
}

void ForkServer::report_exits() {
  std::array<signalfd_siginfo, 8> drained;
  while (::read(child_signals_.get(), drained.data(), sizeof(drained)) > 0) {
  }
  for (const Reaper::Exit& exit : reaper_.collect()) {
    send(FrameType::session_exited, exit.fork_id, exit.message.encode());
  }
}

void ForkServer::send(FrameType type, std::uint64_t id, const std::string& body,
                      std::span<const int> descriptors) {
  const auto count = static_cast<std::uint16_t>(descriptors.size());
  if (!base::send_all(control_fd_, protocol::encode_frame(type, id, body, {}, count),
                      descriptors)) {
    end_everything();
  }
}

void ForkServer::end_everything() {
  reaper_.kill_all();
  ::_exit(0);
}

}  // namespace cellblock::zygote

#include "host/session_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/socket.hpp"
#include "host/exit_judgement.hpp"

namespace cellblock::host {
namespace {

constexpr std::size_t kPipeChunk = 65'536;
constexpr std::size_t kMostOfStacks = 65'536;  // what a pipe holds

std::size_t bytes_waiting(const base::UniqueFd& pipe) {
  int count = 0;
  return ::ioctl(pipe.get(), FIONREAD, &count) == 0 && count > 0 ? static_cast<std::size_t>(count)
                                                                 : 0;
}

}  // namespace

std::shared_ptr<SessionProcess> SessionProcess::start(protocol::ForkRequest request,
                                                      std::shared_ptr<SessionCgroup> cgroup,
                                                      const std::shared_ptr<SessionSource>& source,
                                                      Supervisor& supervisor, Watchdog& watchdog,
                                                      std::weak_ptr<ProcessListener> listener) {
  auto process = std::shared_ptr<SessionProcess>(
      new SessionProcess(std::move(cgroup), supervisor, watchdog, std::move(listener)));
  auto [channel, child_channel] = base::make_socket_pair();
  auto [out, child_out] = base::make_pipe();
  auto [err, child_err] = base::make_pipe();
  auto [stack, child_stack] = base::make_pipe();
  if (!channel || !out || !err || !stack || !process->wake_event_) {
    process->end({.kind = ProcessEnd::Kind::not_started,
                  .message = "No descriptors are left for a session: raise the limit on open "
                             "files or close sessions."});
    return process;
  }
  for (const auto* fd : {&channel, &out, &err}) ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
  process->channel_ = std::move(channel);
  process->out_ = std::move(out);
  process->err_ = std::move(err);
  // Nobody reads it before the end: a session must not wait for that.
  ::fcntl(stack.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(child_stack.get(), F_SETFL, O_NONBLOCK);
  process->stack_ = std::move(stack);
  process->watch();
  std::vector<int> descriptors{child_channel.get(), child_out.get(), child_err.get(),
                               child_stack.get()};
  std::vector<base::UniqueFd> joins;
  if (process->cgroup_) {
    auto opened = process->cgroup_->open_join();
    if (!opened) {
      process->end({.kind = ProcessEnd::Kind::not_started, .message = opened.error().message});
      return process;
    }
    joins = *std::move(opened);
  }
  for (const auto& fd : joins) descriptors.push_back(fd.get());
  request.cgroups = static_cast<std::uint8_t>(joins.size());
  source->fork(request, descriptors, process);
  return process;
}

SessionProcess::SessionProcess(std::shared_ptr<SessionCgroup> cgroup, Supervisor& supervisor,
                               Watchdog& watchdog, std::weak_ptr<ProcessListener> listener)
    : cgroup_(std::move(cgroup)),
      supervisor_(supervisor),
      watchdog_(watchdog),
      listener_(std::move(listener)),
      wake_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

SessionProcess::~SessionProcess() { unwatch(); }

void SessionProcess::watch() {
  const auto weak = weak_from_this();
  channel_token_ = supervisor_.watch(channel_.get(), EPOLLIN, [weak](std::uint32_t events) {
    if (const auto self = weak.lock()) self->on_channel(events);
  });
  out_token_ = supervisor_.watch(out_.get(), EPOLLIN, [weak](std::uint32_t /*events*/) {
    if (const auto self = weak.lock()) self->on_pipe(OutputStream::out);
  });
  err_token_ = supervisor_.watch(err_.get(), EPOLLIN, [weak](std::uint32_t /*events*/) {
    if (const auto self = weak.lock()) self->on_pipe(OutputStream::err);
  });
}

void SessionProcess::unwatch() {
  for (const auto token : {channel_token_, out_token_, err_token_}) supervisor_.unwatch(token);
}

void SessionProcess::on_forked(Expected<ForkedProcess> forked) {
  const std::lock_guard io_lock(io_mutex_);
  if (!forked) {
    end({.kind = ProcessEnd::Kind::not_started, .message = forked.error().message});
    return;
  }
  workspace_ = std::move(forked->workspace);
  {
    const std::lock_guard lock(mutex_);
    target_ = std::move(forked->target);
    if (kill_wanted_) target_->kill_now();
  }
  if (const auto listener = listener_.lock()) announce_if_ready(listener);
}

void SessionProcess::on_cage_gone() {
  const std::lock_guard io_lock(io_mutex_);
  end({.kind = ProcessEnd::Kind::cage_gone,
       .message = "The cage to be shared has ended; open the context again."});
}

void SessionProcess::on_channel(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush_outbox();
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read_channel();
}

void SessionProcess::claim_channel() {
  const std::lock_guard lock(mutex_);
  claimed_ = true;
  set_interest();
}

void SessionProcess::release_channel() {
  const std::lock_guard lock(mutex_);
  claimed_ = false;
  set_interest();
}

/// What the supervisor should wait for. Under the lock.
void SessionProcess::set_interest() {
  supervisor_.change(channel_token_, (claimed_ ? 0U : EPOLLIN) | (outbox_.empty() ? 0U : EPOLLOUT));
}

void SessionProcess::wait_channel() {
  std::array<pollfd, 2> events{{{.fd = channel_.get(), .events = POLLIN, .revents = 0},
                                {.fd = wake_event_.get(), .events = POLLIN, .revents = 0}}};
  ::poll(events.data(), events.size(), -1);
  if (events[1].revents != 0) {
    eventfd_t count = 0;
    ::eventfd_read(wake_event_.get(), &count);
    return;
  }
  if (events[0].revents != 0) read_channel();
}

void SessionProcess::wake() { ::eventfd_write(wake_event_.get(), 1); }

void SessionProcess::read_channel() {
  const std::lock_guard io_lock(io_mutex_);
  if (channel_closed_) return;
  std::string bytes;
  std::vector<base::UniqueFd> descriptors;  // a session has none to give: they are closed
  const auto status = base::receive_some(channel_.get(), bytes, descriptors);
  if (status == base::IoStatus::would_block) return;
  parser_.feed(bytes);
  handle_frames();
  if (status == base::IoStatus::closed || status == base::IoStatus::failed) {
    on_channel_closed();
  }
}

/// Usually it is dying, and the zygote says so in a moment, with the true reason. One that closed
/// its channel and lives on is of no use.
void SessionProcess::on_channel_closed() {
  supervisor_.unwatch(channel_token_);
  channel_closed_ = true;
  // On a busy machine the word of its end takes a while, and must not be taken for a breach.
  constexpr std::chrono::milliseconds kTimeToDie{1'000};
  if (const auto target = this->target()) {
    watchdog_.watch(Clock::now() + kTimeToDie,
                    {.target = target, .request = KillTarget::kAnyRequest, .grace = {}});
  }
}

void SessionProcess::handle_frames() {
  while (true) {
    auto frame = parser_.next();
    if (!frame) {
      supervisor_.unwatch(channel_token_);
      refuse();
      return;
    }
    if (!frame->has_value()) return;
    const auto listener = listener_.lock();
    if (!listener) return;
    // What was written before a frame is seen before it.
    read_output();
    if (!announced_) {
      auto ready = protocol::SessionReady::decode((*frame)->body);
      if ((*frame)->type != protocol::FrameType::session_ready || !ready || ready_) {
        if ((*frame)->type == protocol::FrameType::session_failed) {
          const auto failed = protocol::SessionFailed::decode((*frame)->body);
          end({.kind = ProcessEnd::Kind::not_started,
               .message = failed ? failed->message : failed.error().message});
          kill();
        } else {
          refuse();
        }
        return;
      }
      ready_ = *std::move(ready);
      announce_if_ready(listener);
      continue;
    }
    listener->on_frame(*this, std::move(**frame));
  }
}

/// Both the session's word and its pidfds are needed before it may run anything: what cannot be
/// killed must not start. They come over two sockets, in either order.
void SessionProcess::announce_if_ready(const std::shared_ptr<ProcessListener>& listener) {
  if (announced_ || ended_ || !ready_ || !target()) return;
  announced_ = true;
  listener->on_ready(*this, *ready_);
}

std::shared_ptr<KillTarget> SessionProcess::target() {
  const std::lock_guard lock(mutex_);
  return target_;
}

void SessionProcess::start_counting() {
  if (!cgroup_) return;
  // It may be the peak of another session's execution.
  if (!cgroup_->is_shared()) cgroup_->restart_peak();
  oom_kills_before_ = cgroup_->oom_kills().value_or(0);
}

std::optional<Bytes> SessionProcess::peak_memory_bytes() const {
  return cgroup_ ? cgroup_->peak_memory_bytes() : std::nullopt;
}

void SessionProcess::send(protocol::FrameType type, std::uint64_t id, std::string_view body) {
  const std::string frame = protocol::encode_frame(type, id, body);
  const std::lock_guard lock(mutex_);
  std::size_t written = 0;
  if (outbox_.empty()) base::send_some(channel_.get(), frame, written);
  if (written == frame.size()) return;
  outbox_.append(frame, written);
  set_interest();
}

void SessionProcess::flush_outbox() {
  const std::lock_guard lock(mutex_);
  std::size_t written = 0;
  const auto status = base::send_some(channel_.get(), outbox_, written);
  outbox_.erase(0, written);
  if (outbox_.empty() || status == base::IoStatus::closed || status == base::IoStatus::failed) {
    outbox_.clear();
    set_interest();
  }
}

void SessionProcess::on_pipe(OutputStream stream) {
  if (read_pipe(stream, kPipeChunk) == 0) {
    supervisor_.unwatch(stream == OutputStream::out ? out_token_ : err_token_);
  }
}

void SessionProcess::read_output() {
  for (const auto stream : {OutputStream::out, OutputStream::err}) {
    std::size_t waiting = [&] {
      // Bytes that another thread has taken out of the pipe are delivered by now.
      const std::lock_guard lock(pipe_mutex_);
      return bytes_waiting(stream == OutputStream::out ? out_ : err_);
    }();
    while (waiting > 0) {
      const std::size_t got = read_pipe(stream, std::min(waiting, kPipeChunk));
      if (got == 0) break;
      waiting -= std::min(got, waiting);
    }
  }
}

std::size_t SessionProcess::read_pipe(OutputStream stream, std::size_t most) {
  const base::UniqueFd& pipe = stream == OutputStream::out ? out_ : err_;
  const std::lock_guard lock(pipe_mutex_);
  std::array<char, kPipeChunk> bytes;  // NOLINT: filled by read
  const ssize_t got = ::read(pipe.get(), bytes.data(), most);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? kPipeChunk : 0;
  if (got > 0) {
    if (const auto listener = listener_.lock()) {
      listener->on_output(stream, {bytes.data(), static_cast<std::size_t>(got)});
    }
  }
  return static_cast<std::size_t>(got);
}

std::string SessionProcess::read_stack() const {
  std::string stack(kMostOfStacks, '\0');
  std::size_t size = 0;
  while (size < stack.size()) {
    const ssize_t got = ::read(stack_.get(), stack.data() + size, stack.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  stack.resize(size);
  return stack;
}

void SessionProcess::refuse() {
  violated_ = true;
  kill();
}

void SessionProcess::kill() {
  const std::lock_guard lock(mutex_);
  kill_wanted_ = true;
  if (target_) target_->kill_now();
}

/// The process is dead: what it left in its channel and pipes is all there will ever be.
void SessionProcess::drain() {
  supervisor_.unwatch(channel_token_);
  std::string bytes;
  std::vector<base::UniqueFd> descriptors;
  while (base::receive_some(channel_.get(), bytes, descriptors) == base::IoStatus::ok) {
    parser_.feed(bytes);
    bytes.clear();
  }
  handle_frames();
  read_output();
}

void SessionProcess::on_exited(const protocol::SessionExited& exited) {
  const std::lock_guard io_lock(io_mutex_);
  drain();
  const auto target = this->target();
  ProcessEnd judged = judge_exit({.wait_status = exited.wait_status,
                                  .broke_protocol = violated_,
                                  .kills = target ? target->kills() : KillTarget::Kills{},
                                  .group = cgroup_.get(),
                                  .oom_kills_before = oom_kills_before_});
  judged.peak_memory_bytes = peak_memory_bytes().value_or(exited.max_rss_bytes);
  judged.stack = read_stack();
  end(judged);
}

void SessionProcess::on_zygote_lost(const std::string& why) {
  const std::lock_guard io_lock(io_mutex_);
  kill();
  if (channel_) drain();
  end({.kind = ProcessEnd::Kind::zygote_lost, .message = why});
}

void SessionProcess::end(const ProcessEnd& end) {
  if (ended_) return;
  ended_ = true;
  unwatch();
  if (const auto listener = listener_.lock()) listener->on_ended(*this, end);
}

}  // namespace cellblock::host

#include "host/zygote.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/socket.hpp"
#include "host/spawn_zygote.hpp"

namespace cellblock::host {
namespace {

/// The zygote sees nothing of the host's environment but what its libraries need to load and run.
std::vector<std::string> make_environment(const std::string& cache_folder) {
  std::vector<std::string> environment{"LANG=C.UTF-8", "HOME=/", "MPLCONFIGDIR=" + cache_folder};
  for (const char* name : {"LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE",
                           "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) {
      environment.push_back(std::string(name) + "=" + value);
    }
  }
  return environment;
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

Expected<std::shared_ptr<Zygote>> Zygote::start(const ZygoteOptions& options,
                                                Supervisor& supervisor) {
  auto [control, child_control] = base::make_socket_pair();
  auto [child_liveness, liveness] = base::make_pipe();
  auto [complaints, child_complaints] = base::make_pipe();
  if (!control || !liveness || !complaints) {
    return Error{ErrorKind::host_error,
                 "No descriptors are left for a zygote: raise the limit on open files."};
  }
  std::vector<std::string> arguments{options.program, "--control-fd", "3", "--liveness-fd", "4"};
  if (!options.python.empty()) arguments.insert(arguments.end(), {"--python", options.python});
  if (!options.preload.empty()) {
    arguments.insert(arguments.end(), {"--preload", join(options.preload)});
  }
  if (!options.helpers.empty()) arguments.insert(arguments.end(), {"--helpers", options.helpers});
  if (!options.without.empty()) {
    arguments.insert(arguments.end(), {"--without", join(options.without)});
  }
  ::fcntl(control.get(), F_SETFL, O_NONBLOCK);
  // Nobody reads it until the zygote has died: what does not fit is dropped, and never waited for.
  ::fcntl(complaints.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(child_complaints.get(), F_SETFL, O_NONBLOCK);
  auto spawned = spawn_zygote(arguments, make_environment(options.cache_folder), child_control,
                              child_liveness, child_complaints);
  if (!spawned) return std::move(spawned).error();
  auto zygote = std::shared_ptr<Zygote>(new Zygote(supervisor, std::move(control),
                                                   std::move(liveness), std::move(spawned->process),
                                                   std::move(complaints), spawned->pid));
  zygote->watch();
  return zygote;
}

Zygote::Zygote(Supervisor& supervisor, base::UniqueFd control, base::UniqueFd liveness,
               base::UniqueFd process, base::UniqueFd complaints, int pid)
    : supervisor_(supervisor),
      control_(std::move(control)),
      liveness_(std::move(liveness)),
      process_(std::move(process)),
      complaints_(std::move(complaints)),
      pid_(pid) {}

void Zygote::watch() {
  token_ = supervisor_.watch(control_.get(), EPOLLIN,
                             [weak = weak_from_this()](std::uint32_t /*events*/) {
                               if (const auto self = weak.lock()) self->on_control_readable();
                             });
}

Zygote::~Zygote() {
  shut_down();
  control_.reset();
  liveness_.reset();
  // It ends by itself when its sockets close; one that is stopped or hangs is made to.
  pollfd entry{.fd = process_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&entry, 1, 1000) == 0) kill();
  siginfo_t info{};
  ::waitid(static_cast<idtype_t>(P_PIDFD), static_cast<id_t>(process_.get()), &info,
           WEXITED | __WALL);
}

Expected<protocol::ZygoteReady> Zygote::wait_ready() {
  std::unique_lock lock(mutex_);
  settled_.wait(lock, [this] { return phase_ != Phase::starting; });
  if (phase_ == Phase::failed) return Error{ErrorKind::host_error, failure_};
  return ready_;
}

bool Zygote::usable() const {
  const std::lock_guard lock(mutex_);
  return phase_ != Phase::failed;
}

double Zygote::start_ms() const {
  const std::lock_guard lock(mutex_);
  return start_ms_;
}

void Zygote::fork(const protocol::ForkRequest& request, std::span<const int> descriptors,
                  const std::shared_ptr<ForkClient>& client) {
  std::uint64_t id = 0;
  std::string failure;
  {
    const std::lock_guard lock(mutex_);
    id = next_fork_++;
    if (phase_ == Phase::failed) {
      failure = failure_;
    } else {
      clients_[id] = client;
    }
  }
  if (!failure.empty()) {
    client->on_zygote_lost(failure);
    return;
  }
  const std::string frame = encode_frame(protocol::FrameType::fork_request, id, request.encode(),
                                         {}, static_cast<std::uint16_t>(descriptors.size()));
  const std::lock_guard lock(send_mutex_);
  // A failure shows as the end of the socket, where every client is told.
  base::send_all(control_.get(), frame, descriptors);
}

std::shared_ptr<KillTarget> Zygote::kill_target() const {
  return std::make_shared<KillTarget>(base::UniqueFd(::fcntl(process_.get(), F_DUPFD_CLOEXEC, 0)),
                                      base::UniqueFd());
}

void Zygote::kill() { ::syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0); }

void Zygote::shut_down() {
  supervisor_.unwatch(token_);
  lose();
}

void Zygote::on_control_readable() {
  std::string bytes;
  const auto status = base::receive_some(control_.get(), bytes, received_);
  parser_.feed(bytes);
  while (true) {
    auto frame = parser_.next();
    if (!frame) {
      kill();
      break;
    }
    if (!frame->has_value()) break;
    handle(**frame);
  }
  if (status == base::IoStatus::closed || status == base::IoStatus::failed) {
    supervisor_.unwatch(token_);
    lose();
  }
}

void Zygote::handle(const protocol::Frame& frame) {
  using protocol::FrameType;
  if (frame.type == FrameType::zygote_ready || frame.type == FrameType::zygote_failed) {
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::starting) return;
    if (frame.type == FrameType::zygote_ready) {
      auto ready = protocol::ZygoteReady::decode(frame.body);
      if (!ready) return;
      ready_ = *std::move(ready);
      phase_ = Phase::ready;
      start_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - started_).count();
    } else {
      auto failed = protocol::ZygoteFailed::decode(frame.body);
      failure_ = failed ? failed->message : failed.error().message;
      phase_ = Phase::failed;
    }
    settled_.notify_all();
    return;
  }
  if (frame.type == FrameType::fork_reply) {
    const auto reply = protocol::ForkReply::decode(frame.body);
    const auto client = find_client(frame.id);
    if (reply && reply->error.empty() && !received_.empty() &&
        received_.size() >= frame.descriptor_count) {
      const auto take = [&](std::size_t index) {
        return index < frame.descriptor_count ? std::move(received_[index]) : base::UniqueFd();
      };
      ForkedProcess forked{.target = std::make_shared<KillTarget>(take(0), take(1)),
                           .workspace = take(2)};
      received_.erase(received_.begin(), received_.begin() + frame.descriptor_count);
      if (client) client->on_forked(std::move(forked));
      return;
    }
    take_client(frame.id);
    if (client && reply && reply->cage_is_gone) {
      client->on_cage_gone();
    } else if (client) {
      client->on_forked(Error{ErrorKind::host_error,
                              reply ? reply->error : "The zygote's answer cannot be read."});
    }
    return;
  }
  if (frame.type == FrameType::session_exited) {
    const auto exited = protocol::SessionExited::decode(frame.body);
    const auto client = take_client(frame.id);
    if (client && exited) client->on_exited(*exited);
  }
}

void Zygote::lose() {
  std::unordered_map<std::uint64_t, std::shared_ptr<ForkClient>> clients;
  std::string failure;
  {
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::starting) failure_ = last_words();
    if (phase_ == Phase::ready) failure_ = "The zygote has ended; open a new session.";
    phase_ = Phase::failed;
    failure = failure_;
    clients.swap(clients_);
  }
  settled_.notify_all();
  for (const auto& [id, client] : clients) client->on_zygote_lost(failure);
}

std::string Zygote::last_words() {
  std::string words;
  std::vector<base::UniqueFd> none;
  words.resize(4096);
  const ssize_t got = ::read(complaints_.get(), words.data(), words.size());
  words.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  const auto line = words.rfind('\n');
  if (line != std::string::npos) words.erase(0, line + 1);
  return "The zygote ended before it was ready" + (words.empty() ? "" : ": " + words) +
         ". Check that the Python it embeds is installed.";
}

std::shared_ptr<ForkClient> Zygote::find_client(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(id);
  return found == clients_.end() ? nullptr : found->second;
}

std::shared_ptr<ForkClient> Zygote::take_client(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(id);
  if (found == clients_.end()) return nullptr;
  auto client = std::move(found->second);
  clients_.erase(found);
  return client;
}

}  // namespace cellblock::host

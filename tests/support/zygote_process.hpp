// A zygote and its sessions, driven over their sockets as the host drives them.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages.hpp"
#include "support/frame_stream.hpp"

namespace cellblock::test {

using namespace std::chrono_literals;
using protocol::FrameType;

inline constexpr auto kPatience = 30s;

/// Where the host puts the zygote.
enum class Placement { plain_child, pid_namespace, user_namespace };

inline std::string zygote_program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cellblock-zygote")
      .string();
}

/// Whether this process may make such a placement.
inline bool can_place(Placement placement) {
  if (placement == Placement::plain_child) return true;
  const unsigned long flags =
      CLONE_NEWPID | (placement == Placement::user_namespace ? CLONE_NEWUSER : 0UL);
  const long pid = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) ::_exit(0);
  if (pid < 0) return false;
  ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
  return true;
}

inline const char* name_of(Placement placement) {
  switch (placement) {
    case Placement::plain_child:
      return "plain child";
    case Placement::pid_namespace:
      return "own pid namespace";
    case Placement::user_namespace:
      return "own user and pid namespace";
  }
  return "";
}

/// Every placement that this machine and user allow.
inline std::vector<Placement> placements() {
  std::vector<Placement> possible;
  for (const auto placement :
       {Placement::plain_child, Placement::pid_namespace, Placement::user_namespace}) {
    if (can_place(placement)) possible.push_back(placement);
  }
  return possible;
}

inline bool layer_is_on(const protocol::SessionReady& ready, std::string_view name) {
  for (const Layer& layer : ready.layers) {
    if (layer.name == name) return layer.on;
  }
  return false;
}

/// Small ones, which a test can meet.
inline protocol::ForkRequest with_limits() {
  protocol::ForkRequest request;
  request.limits = {.data_bytes = 256ULL << 20, .open_files = 64, .file_bytes = 1ULL << 20};
  return request;
}

class SessionProcess final {
 public:
  SessionProcess(std::uint64_t id, FrameStream stream, base::UniqueFd out_pipe,
                 base::UniqueFd err_pipe, std::vector<base::UniqueFd> descriptors)
      : fork_id(id),
        channel(std::move(stream)),
        out(std::move(out_pipe)),
        err(std::move(err_pipe)),
        pidfds(std::move(descriptors)) {
    constexpr std::size_t most_processes = 2;
    if (pidfds.size() <= most_processes) return;
    workspace = std::move(pidfds.back());
    pidfds.pop_back();
  }

  std::optional<protocol::SessionReady> wait_ready() {
    const auto frame = channel.receive(kPatience);
    if (!frame || frame->type != FrameType::session_ready) return std::nullopt;
    auto ready = protocol::SessionReady::decode(frame->body);
    return ready ? std::optional(std::move(*ready)) : std::nullopt;
  }

  void send_code(std::string code) {
    const protocol::ExecuteRequest request{.code = std::move(code), .execution_count = ++count_};
    channel.send(FrameType::execute_request, count_, request.encode());
  }

  /// Nothing: the session ended, or broke the protocol.
  std::optional<protocol::ExecuteReply> wait_reply() {
    while (auto frame = channel.receive(kPatience)) {
      if (frame->type == FrameType::display_event) {
        displays.push_back(std::move(*frame));
        continue;
      }
      if (frame->type != FrameType::execute_reply || frame->id != count_) return std::nullopt;
      auto reply = protocol::ExecuteReply::decode(frame->body);
      return reply ? std::optional(std::move(*reply)) : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<protocol::ExecuteReply> execute(std::string code) {
    send_code(std::move(code));
    return wait_reply();
  }

  /// repr of the last expression; a note where there is none.
  std::string value_of(std::string code) {
    const auto reply = execute(std::move(code));
    if (!reply) return "<no reply>";
    if (reply->error) return "<" + reply->error->name + ": " + reply->error->value + ">";
    return reply->text.value_or("<no value>");
  }

  /// What is in the pipe by now.
  static std::string read_available(int fd) {
    std::string text;
    std::array<char, 4096> piece{};
    while (wait_readable(fd, 0ms)) {
      const ssize_t count = ::read(fd, piece.data(), piece.size());
      if (count <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

  std::uint64_t fork_id;
  FrameStream channel;
  base::UniqueFd out;
  base::UniqueFd err;
  std::vector<base::UniqueFd> pidfds;  ///< the session's, and its init's when caged
  base::UniqueFd workspace;            ///< its tmpfs, when it has one
  std::vector<protocol::Frame> displays;

 private:
  std::uint64_t count_ = 0;
};

class ZygoteProcess final {
 public:
  struct Options {
    Placement placement = Placement::plain_child;
    std::string python;
    std::string preload;
  };

  explicit ZygoteProcess(const Options& options) : control_(base::UniqueFd()) {
    auto [ours, theirs] = base::make_socket_pair();
    auto [liveness_reader, liveness_writer] = base::make_pipe();
    auto [gate_reader, gate_writer] = base::make_pipe();
    unsigned long flags = SIGCHLD;
    if (options.placement != Placement::plain_child) flags |= CLONE_NEWPID;
    if (options.placement == Placement::user_namespace) flags |= CLONE_NEWUSER;
    const long pid = ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr);
    if (pid == 0) {
      gate_writer.reset();
      char go = 0;
      if (::read(gate_reader.get(), &go, 1) != 1) ::_exit(1);
      run_zygote(options, theirs.get(), liveness_reader.get());
    }
    pid_ = static_cast<pid_t>(pid);
    if (options.placement == Placement::user_namespace) write_maps();
    static_cast<void>(::write(gate_writer.get(), "", 1));
    control_ = FrameStream(std::move(ours));
    liveness_ = std::move(liveness_writer);
  }

  ~ZygoteProcess() {
    kill();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  }
  ZygoteProcess(const ZygoteProcess&) = delete;
  ZygoteProcess& operator=(const ZygoteProcess&) = delete;

  /// Empty `failure` and a value, or the sentence of zygote_failed.
  std::optional<protocol::ZygoteReady> wait_ready(std::string* failure = nullptr) {
    const auto frame = control_.receive(120s);
    if (!frame) return std::nullopt;
    if (frame->type == FrameType::zygote_failed && failure != nullptr) {
      *failure = protocol::ZygoteFailed::decode(frame->body)->message;
    }
    if (frame->type != FrameType::zygote_ready) return std::nullopt;
    auto ready = protocol::ZygoteReady::decode(frame->body);
    return ready ? std::optional(std::move(*ready)) : std::nullopt;
  }

  /// Without waiting for session_ready.
  std::optional<SessionProcess> fork_session(protocol::ForkRequest request) {
    auto [channel, their_channel] = base::make_socket_pair();
    auto [out, their_out] = base::make_pipe();
    auto [err, their_err] = base::make_pipe();
    auto [stacks, their_stacks] = base::make_pipe();
    const std::array fds{their_channel.get(), their_out.get(), their_err.get(), their_stacks.get()};
    const std::uint64_t id = ++forks_;
    if (request.config.empty()) {
      request.config =
          protocol::SessionConfig{.workspace = std::filesystem::temp_directory_path().string(),
                                  .import_guard = "off"}
              .encode();
    }
    if (!control_.send(FrameType::fork_request, id, request.encode(), fds)) return std::nullopt;
    const auto frame = control_.receive(FrameType::fork_reply, kPatience);
    if (!frame || frame->id != id) return std::nullopt;
    if (!protocol::ForkReply::decode(frame->body)->error.empty()) return std::nullopt;
    return SessionProcess(id, FrameStream(std::move(channel)), std::move(out), std::move(err),
                          control_.take_descriptors());
  }

  std::optional<SessionProcess> open(protocol::ForkRequest request = {}) {
    auto session = fork_session(std::move(request));
    if (!session || !session->wait_ready()) return std::nullopt;
    return session;
  }

  std::optional<protocol::SessionExited> wait_exited(const SessionProcess& session) {
    const auto frame = control_.receive(FrameType::session_exited, kPatience);
    if (!frame || frame->id != session.fork_id) return std::nullopt;
    auto exited = protocol::SessionExited::decode(frame->body);
    return exited ? std::optional(*exited) : std::nullopt;
  }

  /// The status as waitpid gives it; nothing: it did not end in time.
  std::optional<int> wait_end(std::chrono::milliseconds limit) {
    const base::UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!wait_readable(pidfd.get(), limit)) return std::nullopt;
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }

  void kill() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  FrameStream& control() { return control_; }
  void close_liveness() { liveness_.reset(); }

 private:
  [[noreturn]] static void run_zygote(const Options& options, int control, int liveness) {
    control = ::fcntl(control, F_DUPFD, 64);
    liveness = ::fcntl(liveness, F_DUPFD, 64);
    ::dup2(control, 3);
    ::dup2(liveness, 4);
    const std::string program = zygote_program();
    std::vector<std::string> words{program, "--control-fd", "3", "--liveness-fd", "4"};
    if (!options.python.empty()) words.insert(words.end(), {"--python", options.python});
    words.insert(words.end(), {"--preload", options.preload});
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }

  void write_maps() const {
    const std::string folder = "/proc/" + std::to_string(pid_) + "/";
    std::ofstream(folder + "setgroups") << "deny";
    std::ofstream(folder + "uid_map") << "0 " << ::getuid() << " 1";
    std::ofstream(folder + "gid_map") << "0 " << ::getgid() << " 1";
  }

  pid_t pid_ = -1;
  FrameStream control_;
  base::UniqueFd liveness_;
  std::uint64_t forks_ = 0;
};

}  // namespace cellblock::test

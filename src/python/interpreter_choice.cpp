#include "python/interpreter_choice.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/socket.hpp"
#include "python/python_compat.hpp"

namespace cellblock::python {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(20);
constexpr const char* kQuestion =
    "import os, sys; "
    "print(sys.implementation.name, '%d.%d' % sys.version_info[:2], flush=True); "
    "os.write(1, os.fsencode(sys.executable or ''))";

Error refused(std::string message) { return Error{ErrorKind::host_error, std::move(message)}; }

std::string read_until_closed(int fd) {
  const auto deadline = Clock::now() + kPatience;
  std::string text;
  std::array<char, 8192> piece{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&entry, 1, static_cast<int>(left)) <= 0) return text;
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count <= 0 || text.size() > piece.size()) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
}

/// What the interpreter prints; nothing if it cannot be run.
std::optional<std::string> ask(const std::string& path) {
  auto [reader, writer] = base::make_pipe();
  if (!reader) return std::nullopt;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::array<const char*, 6> arguments{path.c_str(), "-I", "-S", "-c", kQuestion, nullptr};
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, path.c_str(), &actions, nullptr,
                                  const_cast<char* const*>(arguments.data()), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::nullopt;
  writer.reset();
  std::string answer = read_until_closed(reader.get());
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  return answer;
}

/// Such as a shim of pyenv's: which Python it starts is its own affair.
bool is_script(const std::string& path) {
  std::array<char, 2> start{};
  return std::ifstream(path, std::ios::binary).read(start.data(), start.size()) &&
         start == std::array{'#', '!'};
}

}  // namespace

std::string embedded_minor_version() {
  return std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);
}

Expected<std::string> choose_interpreter(std::string path) {
  if (path.empty()) path = CELLBLOCK_DEFAULT_PYTHON;
  std::error_code error;
  path = std::filesystem::absolute(path, error).lexically_normal().string();
  const std::string wanted = "CPython " + embedded_minor_version();
  if (::access(path.c_str(), F_OK) != 0) {
    return refused("The Python interpreter " + path + " does not exist: give the path of a " +
                   wanted + ".");
  }
  const auto answer = ask(path);
  if (!answer || answer->empty()) {
    return refused("The Python interpreter " + path + " cannot be run: give the path of a " +
                   wanted + ".");
  }
  const auto line_end = std::min(answer->find('\n'), answer->size());
  if (answer->substr(0, line_end) != "cpython " + embedded_minor_version()) {
    return refused("The Python interpreter " + path + " says that it is \"" +
                   answer->substr(0, line_end) + "\", but this build embeds " + wanted +
                   ": choose one of that version, or build with -DCELLBLOCK_PYTHON=" + path + ".");
  }
  if (!is_script(path)) return path;
  const std::string started = answer->substr(std::min(line_end + 1, answer->size()));
  if (!started.starts_with('/') || ::access(started.c_str(), X_OK) != 0 || is_script(started)) {
    return refused("The Python interpreter " + path +
                   " is a script that does not tell which interpreter it starts: give the path of "
                   "that one.");
  }
  return started;
}

}  // namespace cellblock::python

// A host program that can be killed.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

#include "base/socket.hpp"
#include "base/unique_fd.hpp"

namespace cellblock::test {

/// `cellblock serve --stdio` as a host of its own.
class OtherHost final {
 public:
  OtherHost() {
    auto [reader, to] = base::make_pipe();
    auto [from, writer] = base::make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(reader.get(), 0);
      ::dup2(writer.get(), 1);
      ::execl(CELLBLOCK_TEST_CLI, "cellblock", "serve", "--stdio", nullptr);
      ::_exit(127);
    }
    to_ = std::move(to);
    from_ = std::move(from);
  }
  ~OtherHost() { kill(); }
  OtherHost(const OtherHost&) = delete;
  OtherHost& operator=(const OtherHost&) = delete;

  /// One line out, one line in.
  std::string ask(std::string line) {
    line += '\n';
    if (::write(to_.get(), line.data(), line.size()) < 0) return {};
    std::string answer;
    for (char byte = 0; ::read(from_.get(), &byte, 1) == 1 && byte != '\n';) answer += byte;
    return answer;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
  base::UniqueFd to_;
  base::UniqueFd from_;
};

}  // namespace cellblock::test

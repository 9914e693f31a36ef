// A zygote whose system calls are made to fail, by strace.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/program_paths.hpp"
#include "security/attack_runner.hpp"
#include "support/scratch_folder.hpp"

namespace cellblock::test {

inline constexpr const char* kStrace = "/usr/bin/strace";

/// Empty, or why calls cannot be made to fail here.
inline std::string why_no_strace() {
  const int status = std::system(  // NOLINT(cert-env33-c): a fixed command
      "/usr/bin/strace -qq -o /dev/null -e trace=uname -e inject=uname:error=EPERM "
      "/bin/true >/dev/null 2>&1");
  if (status == 0) return {};
  return "strace is not installed, or may trace nothing (package strace, ptrace allowed)";
}

/// An executor of its own, whose zygote and sessions run under strace with these `-e` expressions.
class FaultyExecutor final {
 public:
  explicit FaultyExecutor(const std::vector<std::string>& expressions) {
    const auto zygote = host::find_zygote_program();
    if (!zygote) throw std::runtime_error(zygote.error().message);
    // The tracer steps aside, so that the zygote stays its namespace's first process.
    std::string script = "#!/bin/sh\nexec " + std::string(kStrace) + " -D -f -qq -o /dev/null";
    for (const std::string& expression : expressions) script += " -e '" + expression + "'";
    script += " " + *zygote + " \"$@\"\n";
    const std::string program = folder_ / "zygote";
    write_file(program, script);
    ::chmod(program.c_str(), 0755);
    ExecutorOptions options;
    options.preload.clear();
    options.zygote_path = program;
    auto made = host::ForkExecutor::create(std::move(options));
    if (!made) throw std::runtime_error(made.error().message);
    executor_ = *std::move(made);
  }

  [[nodiscard]] const std::shared_ptr<host::ForkExecutor>& operator*() const { return executor_; }
  host::ForkExecutor* operator->() const { return executor_.get(); }

  [[nodiscard]] Expected<Session> open(const SecurityPolicy& policy) const {
    auto session = executor_->open_session(policy);
    if (!session) return std::move(session).error();
    return Session(executor_, *std::move(session));
  }

 private:
  ScratchFolder folder_;
  std::shared_ptr<host::ForkExecutor> executor_;
};

}  // namespace cellblock::test

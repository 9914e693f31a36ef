#include "sandbox/orphans.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

namespace cellblock::sandbox {
namespace {

// Generations: a process that forks faster than it is killed is left to the next call.
constexpr int kRounds = 100;

std::string children_file() {
  const std::string pid = std::to_string(::getpid());
  return "/proc/" + pid + "/task/" + pid + "/children";
}

std::vector<pid_t> children() {
  std::vector<pid_t> pids;
  std::ifstream file(children_file());
  for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

/// Whether /proc counts processes as we do: not when it is of another pid namespace.
bool proc_is_ours() {
  std::ifstream file("/proc/self/stat");
  pid_t pid = -1;
  return file >> pid && pid == ::getpid() && ::access(children_file().c_str(), R_OK) == 0;
}

}  // namespace

bool adopt_orphans() { return proc_is_ours() && ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0; }

void kill_orphans(const std::function<bool(pid_t)>& is_known) {
  for (int round = 0; round < kRounds; ++round) {
    bool found = false;
    for (const pid_t pid : children()) {
      if (is_known(pid)) continue;
      found = true;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
    if (!found) return;
  }
}

}  // namespace cellblock::sandbox

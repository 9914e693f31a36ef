#include "zygote/reaper.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <utility>

#include "base/pidfd.hpp"
#include "sandbox/orphans.hpp"

namespace cellblock::zygote {
namespace {

constexpr std::uint64_t kKibibyte = 1'024;

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000U +
         static_cast<std::uint64_t>(time.tv_usec);
}

/// The next child that has ended, left unreaped: as long as it is, its number (and that of its
/// process group) cannot be anyone else's. 0: none.
pid_t next_ended_child() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
  return info.si_pid;
}

}  // namespace

void Reaper::add(std::uint64_t fork_id, pid_t pid, std::optional<Cage> cage) {
  if (cage) session_of_init_[cage->init.pid] = pid;
  Entry entry;
  entry.fork_id = fork_id;
  entry.cage_ended = !cage;
  entry.cage = std::move(cage);
  sessions_.emplace(pid, std::move(entry));
}

const Cage* Reaper::find_cage(std::uint64_t number) const {
  for (const auto& [pid, entry] : sessions_) {
    if (entry.cage && entry.cage->space->number == number) return &*entry.cage;
  }
  return nullptr;
}

std::vector<Reaper::Exit> Reaper::collect() {
  std::vector<Exit> exits;
  while (const pid_t pid = next_ended_child()) {
    auto session = sessions_.find(pid);
    if (session != sessions_.end()) {
      main_process_ended(pid, session->second);
    } else {
      ::waitpid(pid, nullptr, WNOHANG);
      const auto init = session_of_init_.find(pid);
      if (init == session_of_init_.end()) continue;
      session = sessions_.find(init->second);
      session_of_init_.erase(init);
      if (session == sessions_.end()) continue;
      session->second.cage_ended = true;
    }
    const Entry& entry = session->second;
    if (!entry.main_process_ended || !entry.cage_ended) continue;
    exits.push_back({.fork_id = entry.fork_id, .message = entry.exited});
    sessions_.erase(session);
  }
  return exits;
}

void Reaper::kill_all() {
  for (const auto& [pid, entry] : sessions_) {
    kill_others(pid, entry);
    // Its orphans are handed over only once it is dead.
    if (orphans_ == Orphans::killed) ::waitpid(pid, nullptr, 0);
  }
  sessions_.clear();
  kill_orphans();
}

void Reaper::main_process_ended(pid_t pid, Entry& entry) {
  kill_others(pid, entry);
  rusage usage{};
  ::wait4(pid, &entry.exited.wait_status, 0, &usage);
  entry.exited.cpu_us = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
  entry.exited.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * kKibibyte;
  entry.main_process_ended = true;
  kill_orphans();
}

void Reaper::kill_orphans() const {
  if (orphans_ == Orphans::left_alone) return;
  sandbox::kill_orphans([this](pid_t pid) {
    const auto session = sessions_.find(pid);
    return session != sessions_.end() && !session->second.main_process_ended;
  });
}

void Reaper::kill_others(pid_t pid, const Entry& entry) {
  if (entry.cage) {
    base::send_signal(entry.cage->init.pidfd.get(), SIGKILL);
  } else {
    ::kill(-pid, SIGKILL);  // the group; there is none where the session was forked bare
    ::kill(pid, SIGKILL);
  }
}

}  // namespace cellblock::zygote

// Which processes the zygote has, and what became of them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "protocol/messages.hpp"
#include "zygote/cage_builder.hpp"

namespace cellblock::zygote {

/// Reaps every child of the zygote: sessions, inits, and as a PID 1 what is handed to it. Blocks
/// for the death of orphans, otherwise never.
class Reaper final {
 public:
  /// Whether orphans are this process's children (sandbox::adopt_orphans) and end with any session.
  enum class Orphans { left_alone, killed };

  explicit Reaper(Orphans orphans) : orphans_(orphans) {}

  struct Exit {
    std::uint64_t fork_id = 0;
    protocol::SessionExited message;
  };

  /// `cage`: its init belongs to the session and dies with its main process.
  void add(std::uint64_t fork_id, pid_t pid, std::optional<Cage> cage);

  /// One of the living sessions' with this number; null: there is none. Until the next collect().
  [[nodiscard]] const Cage* find_cage(std::uint64_t number) const;

  /// To be called whenever a child may have ended. Gives the sessions of which nothing is left:
  /// neither the main process nor any other of its cage (or process group, without one).
  std::vector<Exit> collect();

  /// Kills everything at once; waits for orphans only.
  void kill_all();

 private:
  struct Entry {
    std::uint64_t fork_id = 0;
    std::optional<Cage> cage;
    protocol::SessionExited exited;
    bool main_process_ended = false;
    bool cage_ended = false;
  };

  void main_process_ended(pid_t pid, Entry& entry);
  static void kill_others(pid_t pid, const Entry& entry);
  void kill_orphans() const;

  Orphans orphans_;
  std::map<pid_t, Entry> sessions_;
  std::map<pid_t, pid_t> session_of_init_;
};

}  // namespace cellblock::zygote

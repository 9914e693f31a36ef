// The sessions that calls have opened, by id, and the process's own.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "cellblock/executor.hpp"
#include "mcp/turn.hpp"
#include "rpc/sessions.hpp"
#include "tool/facts.hpp"

namespace cellblock::mcp {

using SessionHandle = std::shared_ptr<rpc::OpenSession>;

/// Thread-safe. Errors are for a model: they say what to do.
class SessionBook final {
 public:
  /// `abandoned_after`: when a session that nobody came back to may be ended to make room.
  SessionBook(Executor& executor, SecurityPolicy policy, tool::UnnamedSession unnamed,
              std::chrono::milliseconds abandoned_after);

  /// Error kinds: unknown_session, expired (also when it was closed to make room).
  Expected<SessionHandle> find(const std::string& id);

  struct Opened {
    SessionHandle session;
    /// That the one before it has expired, in a sentence; empty: it has not.
    std::string note;
    /// It was opened for this call.
    bool is_new = true;
    /// And nothing but its id leads back to it: see FreshSession.
    bool is_untold = false;
  };
  /// What a call gets that names no session: the process's own, opened when need be, or a new one.
  /// Blocks while it opens. Error kinds: as Executor::open_session.
  Expected<Opened> unnamed();
  /// The process's own session, if it is open and can be had without waiting; else null.
  SessionHandle own_if_open();
  /// For those who start something in the process's own session, in order.
  std::shared_ptr<Turn> take_turn() { return turns_.take(); }
  /// Interrupts the first of them that has not started it. False: all have.
  bool interrupt_waiting() { return turns_.interrupt_first(); }

  /// Opens a session in the place of one that has expired. Blocks. Error kinds: unknown_session,
  /// and as Executor::open_session.
  Expected<Opened> replace(const std::string& expired_id);

  /// A call is done with it: from now on it is left alone.
  void leave(const SessionHandle& session);
  /// Ends a session that nobody knows of.
  void close(const SessionHandle& session);
  /// Closes all of them side by side and lets none be opened. Blocks.
  void close_all();

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    SessionHandle session;
    Clock::time_point used;
    /// Somebody has come back to it.
    bool is_known = false;
  };

  Expected<SessionHandle> open();
  Expected<SessionHandle> add(Session session);
  /// Forgets what has expired but for its id. With the lock.
  void sweep();
  void bury(const std::string& id, std::string epitaph);
  [[nodiscard]] std::string epitaph_of(EndReason reason) const;
  /// Takes out the session that was left alone the longest, of those to which nobody came back.
  /// Null: there is none.
  SessionHandle take_abandoned();
  [[nodiscard]] Error unknown(const std::string& id) const;
  [[nodiscard]] std::string way_out() const;

  Executor& executor_;
  const SecurityPolicy policy_;
  const tool::UnnamedSession unnamed_;
  const std::chrono::milliseconds abandoned_after_;

  std::mutex mutex_;
  std::map<std::string, Entry> sessions_;
  std::map<std::string, std::string> buried_;  // why they ended
  std::deque<std::string> burials_;            // their order
  bool closing_ = false;

  std::mutex own_mutex_;  // held while it opens
  SessionHandle own_;

  Turns turns_;
};

}  // namespace cellblock::mcp

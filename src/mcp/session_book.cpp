#include "mcp/session_book.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/terminal_text.hpp"
#include "tool/limits_text.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::size_t kMaxQuoted = 60;
constexpr std::size_t kMaxBuried = 1'000;

std::string in_quotes(const std::string& id) {
  return "\"" + base::terminal_safe_line(id.substr(0, kMaxQuoted)) + "\"";
}

}  // namespace

SessionBook::SessionBook(Executor& executor, SecurityPolicy policy, tool::UnnamedSession unnamed,
                         std::chrono::milliseconds abandoned_after)
    : executor_(executor),
      policy_(std::move(policy)),
      unnamed_(unnamed),
      abandoned_after_(abandoned_after) {}

std::string SessionBook::way_out() const {
  return unnamed_ == tool::UnnamedSession::own
             ? "call reset_session or leave session_id out"
             : "call reset_session or leave session_id out, which gives a new session";
}

Error SessionBook::unknown(const std::string& id) const {
  return {ErrorKind::unknown_session,
          "There is no session " + in_quotes(id) +
              (unnamed_ == tool::UnnamedSession::own
                   ? ": leave session_id out to use the default session."
                   : ": use the session_id of an earlier result, or leave session_id out for a new "
                     "session.")};
}

std::string SessionBook::epitaph_of(EndReason reason) const {
  switch (reason) {
    case EndReason::session_ttl:
      return "expired after its lifetime of " + tool::duration_text(policy_.session_ttl);
    case EndReason::idle_ttl:
      return "expired after " + tool::duration_text(policy_.idle_ttl) + " idle";
    case EndReason::closed:
      break;
  }
  return "was closed";
}

Expected<SessionHandle> SessionBook::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  sweep();
  if (const auto found = sessions_.find(id); found != sessions_.end()) {
    found->second.used = Clock::now();
    found->second.is_known = true;
    return found->second.session;
  }
  if (const auto found = buried_.find(id); found != buried_.end()) {
    return Error{ErrorKind::expired, "The session " + in_quotes(id) + " " + found->second +
                                         "; its variables and files are gone: " + way_out() + "."};
  }
  return unknown(id);
}

Expected<SessionBook::Opened> SessionBook::unnamed() {
  if (unnamed_ == tool::UnnamedSession::fresh) {
    auto opened = open();
    if (!opened) return std::move(opened).error();
    return Opened{.session = std::move(*opened), .note = {}, .is_untold = true};
  }
  const std::lock_guard lock(own_mutex_);
  std::string note;
  if (own_) {
    if (find(own_->session().id())) return Opened{own_, {}, false};
    const std::lock_guard book_lock(mutex_);
    const auto reason = buried_.find(own_->session().id());
    note = "The default session " + (reason == buried_.end() ? "had ended" : reason->second) +
           ": this is a fresh one, and the variables and files of before are gone.";
    own_ = nullptr;
  }
  auto opened = open();
  if (!opened) return std::move(opened).error();
  own_ = *opened;
  return Opened{std::move(*opened), std::move(note)};
}

SessionHandle SessionBook::own_if_open() {
  const std::unique_lock lock(own_mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !own_ || !find(own_->session().id())) return nullptr;
  return own_;
}

Expected<SessionBook::Opened> SessionBook::replace(const std::string& expired_id) {
  auto found = find(expired_id);
  if (found) return Opened{.session = std::move(*found), .note = {}, .is_new = false};
  if (found.error().kind != ErrorKind::expired) return std::move(found).error();
  auto opened = open();
  if (!opened) return std::move(opened).error();
  return Opened{.session = std::move(*opened), .note = {}, .is_untold = true};
}

Expected<SessionHandle> SessionBook::open() {
  auto session = executor_.open_session(policy_);
  if (!session && session.error().kind == ErrorKind::busy_limit) {
    if (const auto abandoned = take_abandoned()) {
      abandoned->session().close();
      session = executor_.open_session(policy_);
    }
  }
  if (!session && session.error().kind == ErrorKind::busy_limit) {
    return Error{
        ErrorKind::busy_limit,
        "All sessions of this server are in use: pass the session_id of an earlier result, "
        "or try again in some minutes."};
  }
  if (!session) return std::move(session).error();
  return add(std::move(*session));
}

Expected<SessionHandle> SessionBook::add(Session session) {
  auto opened = std::make_shared<rpc::OpenSession>(std::move(session));
  {
    const std::lock_guard lock(mutex_);
    if (!closing_) {
      sweep();
      sessions_.emplace(opened->session().id(), Entry{opened, Clock::now()});
      return opened;
    }
  }
  opened->session().close();
  return Error{ErrorKind::host_error, "The server is ending."};
}

void SessionBook::sweep() {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    if (const auto reason = at->second.session->session().end_reason()) {
      bury(at->first, epitaph_of(*reason));
      at = sessions_.erase(at);
    } else {
      ++at;
    }
  }
}

void SessionBook::bury(const std::string& id, std::string epitaph) {
  if (!buried_.emplace(id, std::move(epitaph)).second) return;
  burials_.push_back(id);
  if (burials_.size() > kMaxBuried) {
    buried_.erase(burials_.front());
    burials_.pop_front();
  }
}

SessionHandle SessionBook::take_abandoned() {
  const std::lock_guard lock(mutex_);
  auto oldest = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    const Entry& entry = at->second;
    // Whoever works with it holds it.
    if (entry.is_known || entry.session.use_count() > 1) continue;
    if (Clock::now() - entry.used < abandoned_after_) continue;
    if (oldest == sessions_.end() || entry.used < oldest->second.used) oldest = at;
  }
  if (oldest == sessions_.end()) return nullptr;
  auto taken = std::move(oldest->second.session);
  bury(oldest->first, "was ended to make room for others");
  sessions_.erase(oldest);
  return taken;
}

void SessionBook::leave(const SessionHandle& session) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(session->session().id());
  if (found != sessions_.end()) found->second.used = Clock::now();
}

void SessionBook::close(const SessionHandle& session) {
  {
    const std::lock_guard lock(mutex_);
    sessions_.erase(session->session().id());
  }
  session->session().close();
}

void SessionBook::close_all() {
  std::map<std::string, Entry> closing;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    closing.swap(sessions_);
  }
  std::vector<std::thread> threads;
  threads.reserve(closing.size());
  for (auto& [id, entry] : closing) {
    threads.emplace_back([&session = *entry.session] { session.session().close(); });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace cellblock::mcp

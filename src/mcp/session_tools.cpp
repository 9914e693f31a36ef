// reset_session and interrupt.
#include <utility>

#include "mcp/content.hpp"
#include "mcp/tool_words.hpp"

namespace cellblock::mcp {
namespace {

ToolResult reset(const SessionHandle& session) {
  if (auto done = session->session().reset(); !done) return refused(done.error());
  ToolResult result;
  result.content.push_back(
      text_block("The variables are gone. Files, loaded modules, the working folder and running "
                 "threads are as they were."));
  result.structured = {{"session_id", session->session().id()}, {"is_new", false}};
  return result;
}

/// Whether there was something to stop.
bool stop(const SessionHandle& session) { return session && session->interrupt(std::nullopt); }

ToolResult opened(const SessionHandle& session) {
  ToolResult result;
  const std::string& id = session->session().id();
  result.content.push_back(text_block("A new session is open; its session_id is " + id + "."));
  result.structured = {{"session_id", id}, {"is_new", true}};
  return result;
}

}  // namespace

Json define_reset_session(const tool::Facts& facts) {
  return define(
      facts,
      {.name = "reset_session",
       .title = "Reset the session",
       .description = "Start afresh: all variables are gone; files and loaded modules stay. In the "
                      "place of a session "
                      "that has expired a new one is opened (use the session_id of the result).",
       .effect = Effect::destroys,
       .output = {{"is_new", described("boolean", "Whether it is another session than before.")}}});
}

PreparedTool reset_session(Engine& engine, const RequestHandle& request, rpc::Params& arguments) {
  const auto id = arguments.optional_string("session_id");
  if (auto wrong = arguments.finish()) return refused(*wrong);
  SessionBook& sessions = engine.sessions();
  // Another call may have opened it in the meantime.
  const auto begin = [](const SessionBook::Opened& found) {
    return found.is_new ? opened(found.session) : reset(found.session);
  };
  if (!id) {
    if (auto own = sessions.own_if_open()) return ToolWork([own] { return reset(own); });
    return ToolWork([&engine, request, begin] {
      return in_opened(engine, request, engine.sessions().unnamed(), begin);
    });
  }
  auto found = sessions.find(*id);
  if (found) return ToolWork([session = std::move(*found)] { return reset(session); });
  if (found.error().kind != ErrorKind::expired) return refused(found.error());
  return ToolWork([&engine, request, id = *id, begin] {
    return in_opened(engine, request, engine.sessions().replace(id), begin);
  });
}

Json define_interrupt(const tool::Facts& facts) {
  return define(
      facts,
      {.name = "interrupt",
       .title = "Interrupt",
       .description = "Stop the code that runs in the session. The call that runs it ends "
                      "with status cancelled; variables stay.",
       .effect = Effect::adds,
       .output = {{"interrupted", described("boolean", "Whether there was something to stop.")}}});
}

PreparedTool interrupt(Engine& engine, const RequestHandle& /*request*/, rpc::Params& arguments) {
  const bool is_named = arguments.optional_string("session_id").has_value();
  auto session = existing_target(engine, arguments, "code is to stop");
  if (!session) return std::move(session).error();
  bool interrupted = stop(*session);
  // Code may still wait until the default session is open, or have been started just now.
  if (!interrupted && !is_named) {
    SessionBook& sessions = engine.sessions();
    interrupted = sessions.interrupt_waiting() || stop(sessions.own_if_open());
  }
  ToolResult result;
  result.content.push_back(
      text_block(interrupted ? "The running code is being stopped." : "Nothing was running."));
  result.structured = {{"session_id", *session ? (*session)->session().id() : ""},
                       {"interrupted", interrupted}};
  return result;
}

}  // namespace cellblock::mcp

// What the definitions and arguments of several tools share.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "mcp/fresh_session.hpp"
#include "mcp/tools.hpp"

namespace cellblock::mcp {

/// What a tool does to its session, as hints for who asks a person for permission.
enum class Effect { reads, adds, destroys };

/// One tool's definition. `properties` are those of its arguments besides session_id; `output`
/// those of its structured result besides session_id, all of them required.
struct ToolWords {
  std::string_view name;
  std::string_view title;
  std::string description;
  Effect effect = Effect::reads;
  Json properties = Json::object();
  Json required = Json::array();
  Json output = Json::object();
};
Json define(const tool::Facts& facts, ToolWords words);

/// A schema of that type, described.
Json described(std::string_view type, std::string_view description);

/// Reads session_id and finishes the arguments: to be called last. Gives the session that is named,
/// or the process's own where it is open; null: the call names none, and one is to be had by
/// Engine::sessions().unnamed(), which blocks.
Expected<SessionHandle, ToolResult> target(Engine& engine, rpc::Params& arguments);

/// The same for a tool that needs a session with something in it: `what` says what, for example
/// "variables you want". Without a session there is an error (unless the process has its own).
Expected<SessionHandle, ToolResult> existing_target(Engine& engine, rpc::Params& arguments,
                                                    std::string_view what);

/// There is no room for the answer: LiveCall::make_room.
ToolResult no_room();

/// Puts a sentence of ours behind what a session said, in a block of its own.
void add_note(ToolResult& result, const std::string& note);

/// Works in a session that the book gave for this call; its note is added to the result.
template <class Act>
ToolResult in_opened(Engine& engine, const RequestHandle& request,
                     const Expected<SessionBook::Opened>& opened, const Act& act) {
  if (!opened) return refused(opened.error());
  FreshSession fresh(engine.sessions(), request->call, *opened);
  ToolResult result = act(*opened);
  engine.sessions().leave(opened->session);
  if (!opened->note.empty()) add_note(result, opened->note);
  fresh.settle(result);
  return result;
}

/// `session` itself, or the one that unnamed() opens.
template <class Act>
ToolWork in_session(Engine& engine, const RequestHandle& request, SessionHandle session, Act act) {
  return [&engine, request, session = std::move(session), act = std::move(act)]() -> ToolResult {
    if (session) return act(session);
    return in_opened(engine, request, engine.sessions().unnamed(),
                     [&act](const SessionBook::Opened& opened) { return act(opened.session); });
  };
}

}  // namespace cellblock::mcp

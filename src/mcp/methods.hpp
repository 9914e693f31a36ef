// The protocol's methods.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "mcp/engine.hpp"

namespace cellblock::mcp {

/// A result object without what all results have, or the error.
using Outcome = Expected<Json, Refusal>;
/// The part of a method that may block.
using Work = std::function<Outcome()>;
/// The request is answered when it is cancelled or the server ends; `first` is told at once, `last`
/// is the answer at the end.
struct StaysOpen {
  std::string first;
  Json last;
};
/// What a method makes of a request without blocking.
using Prepared = std::variant<Outcome, Work, StaysOpen>;

struct Method {
  std::string_view name;
  bool in_handshake = true;
  bool in_stateless = true;
  Prepared (*prepare)(Engine& engine, const RequestHandle& request);
  /// Taken even when too many requests are under way.
  bool (*is_urgent)(const Message& message) = nullptr;
};

/// For what does not block.
inline bool always(const Message& /*message*/) { return true; }

/// Null: there is no such method in that era.
const Method* find_method(std::string_view name, Era era);

// lifecycle_methods.cpp
Prepared initialize(Engine& engine, const RequestHandle& request);
Prepared discover(Engine& engine, const RequestHandle& request);
Prepared ping(Engine& engine, const RequestHandle& request);
Prepared listen(Engine& engine, const RequestHandle& request);
// tool_methods.cpp
Prepared tools_list(Engine& engine, const RequestHandle& request);
Prepared tools_call(Engine& engine, const RequestHandle& request);
bool calls_urgent_tool(const Message& message);
// resource_methods.cpp
Prepared resources_list(Engine& engine, const RequestHandle& request);
Prepared resource_templates_list(Engine& engine, const RequestHandle& request);
Prepared resources_read(Engine& engine, const RequestHandle& request);

/// {name, version} and a title where the version has one.
Json server_info(const Dialect& dialect);

/// How long a result may be kept, and by whom.
enum class CacheScope { everybody, caller };
/// Adds it, where the era has it.
Json cacheable(const Dialect& dialect, Json result, int ttl_ms, CacheScope scope);
inline constexpr int kStableTtlMs = 3'600'000;

/// A list that comes in one page takes no cursor. Nothing: the request has none.
std::optional<Refusal> refuse_cursor(const Request& request);

}  // namespace cellblock::mcp

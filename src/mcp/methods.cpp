#include "mcp/methods.hpp"

#include <algorithm>
#include <array>

#include "cellblock/version.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::array kMethods = {
    Method{"initialize", true, false, initialize, always},
    Method{"ping", true, false, ping, always},
    Method{"server/discover", false, true, discover, always},
    Method{"subscriptions/listen", false, true, listen},
    Method{"tools/list", true, true, tools_list, always},
    Method{"tools/call", true, true, tools_call, calls_urgent_tool},
    Method{"resources/list", true, true, resources_list},
    Method{"resources/templates/list", true, true, resource_templates_list, always},
    Method{"resources/read", true, true, resources_read},
};

}  // namespace

const Method* find_method(std::string_view name, Era era) {
  const auto found = std::find_if(kMethods.begin(), kMethods.end(), [&](const Method& method) {
    return method.name == name &&
           (era == Era::handshake ? method.in_handshake : method.in_stateless);
  });
  return found == kMethods.end() ? nullptr : &*found;
}

Json server_info(const Dialect& dialect) {
  Json info{{"name", "cellblock"}};
  if (dialect.has_structure()) info["title"] = "Cellblock";
  info["version"] = version();
  return info;
}

Json cacheable(const Dialect& dialect, Json result, int ttl_ms, CacheScope scope) {
  if (dialect.era == Era::stateless) {
    result["ttlMs"] = ttl_ms;
    result["cacheScope"] = scope == CacheScope::everybody ? "public" : "private";
  }
  return result;
}

std::optional<Refusal> refuse_cursor(const Request& request) {
  if (!request.params().contains("cursor")) return std::nullopt;
  return Refusal{kInvalidParams, "The list has one page: leave cursor out."};
}

}  // namespace cellblock::mcp

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cellblock/policy.hpp"
#include "policy/nearest_name.hpp"
#include "policy/policy_fields.hpp"

namespace cellblock {
namespace {

using Json = nlohmann::json;

Error invalid(std::string message) { return {ErrorKind::policy_invalid, std::move(message)}; }

/// A policy is small and flat: `env` and the lists are its deepest parts.
constexpr int kMaxDepth = 4;

/// Parses with bounds on depth, and refuses a key that stands twice: which of two limits counts
/// must not be a matter of luck.
Expected<Json> parse(std::string_view text) {
  std::string problem;
  std::vector<std::set<std::string>> keys;
  const Json::parser_callback_t watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kMaxDepth) throw std::invalid_argument("it is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value).second) {
      throw std::invalid_argument("\"" + value.get<std::string>() + "\" stands twice");
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const std::exception& error) {
    return invalid("The policy is not usable JSON: " + std::string(error.what()) + ".");
  }
}

Expected<void> read_field(const policy::Field& field, const Json& value, SecurityPolicy& policy) {
  try {
    field.read(value, policy);
    return {};
  } catch (const std::exception& problem) {
    return invalid("Policy field \"" + std::string(field.name) + "\" " + problem.what() + ".");
  }
}

Error unknown_field(const std::string& name) {
  std::vector<std::string_view> known{"profile"};
  for (const auto& field : policy::fields()) known.push_back(field.name);
  const auto meant = policy::nearest_name(name, known);
  return invalid(
      "The policy has an unknown field \"" + name + "\"" +
      (meant ? "; did you mean \"" + std::string(*meant) + "\"? Rename it." : "; take it out."));
}

}  // namespace

Expected<void> policy::check(const SecurityPolicy& policy) {
  SecurityPolicy read;
  for (const Field& field : fields()) {
    if (auto fits = read_field(field, field.write(policy), read); !fits) return fits;
  }
  return {};
}

Expected<SecurityPolicy> SecurityPolicy::from_profile(std::string_view name) {
  using std::chrono::seconds;
  SecurityPolicy policy;
  policy.profile = name;
  if (name == "default") return policy;
  if (name == "strict") {
    policy.timeout = seconds(10);
    policy.max_memory_bytes = 128ULL << 20;
    policy.max_cpus = 0.5;
    policy.max_threads = 8;
    return policy;
  }
  if (name == "trusted") {
    policy.import_guard = ImportGuard::off;
    policy.timeout = seconds(600);
    policy.max_memory_bytes = 4ULL << 30;
    return policy;
  }
  return invalid("Policy field \"profile\" must be one of \"default\", \"strict\", \"trusted\".");
}

Expected<SecurityPolicy> SecurityPolicy::from_json(std::string_view text) {
  auto parsed = parse(text);
  if (!parsed) return std::move(parsed).error();
  const Json& json = *parsed;
  if (!json.is_object()) return invalid("The policy must be a JSON object.");

  SecurityPolicy policy;
  if (const auto profile = json.find("profile"); profile != json.end()) {
    if (!profile->is_string()) return invalid("Policy field \"profile\" must be a string.");
    auto base = from_profile(profile->get<std::string>());
    if (!base) return std::move(base).error();
    policy = *std::move(base);
  }
  for (const auto& [name, value] : json.items()) {
    if (name == "profile") continue;
    const auto& table = policy::fields();
    const auto field = std::find_if(table.begin(), table.end(),
                                    [&name = name](const auto& f) { return f.name == name; });
    if (field == table.end()) {
      return unknown_field(name);
    }
    if (auto fits = read_field(*field, value, policy); !fits) return std::move(fits).error();
  }
  return policy;
}

std::string SecurityPolicy::to_json() const {
  Json json{{"profile", profile}};
  for (const auto& field : policy::fields()) json[std::string(field.name)] = field.write(*this);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cellblock

// The fields of SecurityPolicy by their JSON names: one table serves reading and writing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "cellblock/policy.hpp"

namespace cellblock::policy {

struct Field {
  std::string_view name;
  /// Throws std::invalid_argument with what is wrong ("must be …"); the caller names the field.
  void (*read)(const nlohmann::json& value, SecurityPolicy& policy);
  nlohmann::json (*write)(const SecurityPolicy& policy);
};

/// Every field but `profile`, in the order of the struct.
const std::vector<Field>& fields();

/// Refuses in a policy that was put together in C++ what from_json refuses in a text: what a
/// session is held to must not depend on where its policy came from. Error kind: policy_invalid.
Expected<void> check(const SecurityPolicy& policy);

}  // namespace cellblock::policy

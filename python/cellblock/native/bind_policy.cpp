// Policies travel as JSON text: the library alone knows their fields.
#include <string>

#include "cellblock/policy.hpp"
#include "errors.hpp"
#include "module.hpp"

namespace cellblock::sdk {

void bind_policy(pybind11::module_& module) {
  module.def(
      "complete_policy",
      [](const std::string& json) {
        return value_or_raise(SecurityPolicy::from_json(json)).to_json();
      },
      pybind11::arg("json"), "Every field of the policy that `json` describes, as JSON.");
}

}  // namespace cellblock::sdk

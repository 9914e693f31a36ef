// What an execution gave; Python reads its JSON form.
#include <memory>
#include <string>

#include "cellblock/result.hpp"
#include "errors.hpp"
#include "module.hpp"

namespace cellblock::sdk {

namespace py = pybind11;

void bind_result(py::module_& module) {
  py::class_<ExecutionResult, std::shared_ptr<ExecutionResult>>(module, "Result")
      .def("to_json", &ExecutionResult::to_json);
  module.def(
      "complete_result",
      [](const std::string& json) {
        return value_or_raise(ExecutionResult::from_json(json)).to_json();
      },
      py::arg("json"), "Every field of the result that `json` describes, as JSON.");
  module.def(
      "model_text",
      [](const std::string& json, Bytes budget) {
        return value_or_raise(ExecutionResult::from_json(json)).to_model_text(budget);
      },
      py::arg("json"), py::arg("budget"),
      "ExecutionResult::to_model_text of a result's JSON form.");
}

}  // namespace cellblock::sdk

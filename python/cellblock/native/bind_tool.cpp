// What a model is told of execute_python, by a program that keeps the session itself.
#include <string>
#include <string_view>

#include "cellblock/code.hpp"
#include "errors.hpp"
#include "executor_handle.hpp"
#include "module.hpp"
#include "tool/definition.hpp"

namespace cellblock::sdk {

namespace {

std::string tool_definition(ExecutorHandle& executor, const std::string& policy_json,
                            const std::string& format) {
  auto policy = value_or_raise(SecurityPolicy::from_json(policy_json));
  auto engine = executor.info(policy);
  const tool::Facts facts{
      .engine = std::move(engine), .policy = std::move(policy), .takes_session_id = false};
  return value_or_raise(tool::definition(format, facts))
      .dump(-1, ' ', false, tool::Json::error_handler_t::replace);
}

void check_code(std::string_view code) {
  if (const auto problem = code_problem(code)) raise(problem->kind, problem->message);
}

}  // namespace

void bind_tool(pybind11::module_& module) {
  using pybind11::arg;
  module.def("check_code", &check_code, arg("code"),
             "Raises what a session would, for code that it does not take at all.");
  module.def("tool_definition", &tool_definition, arg("executor"), arg("policy_json"),
             arg("format"), "The definition of execute_python, as JSON.");
}

}  // namespace cellblock::sdk

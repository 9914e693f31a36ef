#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "executor_handle.hpp"
#include "module.hpp"

namespace cellblock::sdk {

namespace py = pybind11;

namespace {

SecurityPolicy policy_of(const std::string& json) {
  return value_or_raise(SecurityPolicy::from_json(json));
}

std::shared_ptr<ExecutorHandle> create(std::string python, std::vector<std::string> preload,
                                       std::string helpers, std::size_t max_sessions,
                                       std::string audit_log, bool log_code,
                                       std::string zygote_path) {
  return ExecutorHandle::create(ExecutorKind::fork,
                                {.python = std::move(python),
                                 .preload = std::move(preload),
                                 .helpers = std::move(helpers),
                                 .max_sessions = max_sessions,
                                 .audit_log = std::move(audit_log),
                                 .log_code = log_code ? LogCode::yes : LogCode::no,
                                 .zygote_path = std::move(zygote_path)});
}

}  // namespace

void bind_executor(py::module_& module) {
  using py::arg;
  py::class_<ExecutorHandle, std::shared_ptr<ExecutorHandle>>(module, "Executor")
      .def(py::init(&create), py::kw_only(), arg("python"), arg("preload"), arg("helpers"),
           arg("max_sessions"), arg("audit_log"), arg("log_code"), arg("zygote_path"))
      .def(
          "open_session",
          [](ExecutorHandle& executor, const std::string& policy) {
            return executor.open_session(policy_of(policy));
          },
          arg("policy_json"))
      .def(
          "info",
          [](ExecutorHandle& executor, const std::string& policy) {
            return executor.info(policy_of(policy)).to_json();
          },
          arg("policy_json"))
      .def_property_readonly("closed", &ExecutorHandle::closed)
      .def("close", [](ExecutorHandle& executor) { without_gil([&] { executor.close(); }); });
  module.def(
      "close_all",
      [](double limit_s) {
        ExecutorHandle::close_all(
            std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 1000)));
      },
      arg("limit_s"), "Closes every executor of this process and takes no more calls.");
}

}  // namespace cellblock::sdk

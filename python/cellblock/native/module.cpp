#include "module.hpp"

#include <string>

#include "cellblock/version.hpp"

PYBIND11_MODULE(_native, module) {
  using namespace cellblock::sdk;
  module.doc() = "The C++ library as the package `cellblock` uses it.";
  module.attr("__version__") = std::string(cellblock::version());
  bind_policy(module);
  bind_result(module);
  bind_running(module);
  bind_session(module);
  bind_executor(module);
  bind_tool(module);
}

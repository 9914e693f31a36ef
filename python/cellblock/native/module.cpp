#include "module.hpp"

#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "cellblock/version.hpp"
#include "errors.hpp"

namespace {

/// No descriptor or thread is left.
void translate_system_error(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const std::system_error& error) {
    cellblock::sdk::set_error(cellblock::ErrorKind::host_error,
                              "This process has run out of descriptors or threads (" +
                                  std::string(error.what()) +
                                  "): close sessions or raise its limits.");
  }
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  using namespace cellblock::sdk;
  module.doc() = "The C++ library as the package `cellblock` uses it.";
  module.attr("__version__") = std::string(cellblock::version());
  pybind11::register_local_exception_translator(&translate_system_error);
  bind_policy(module);
  bind_result(module);
  bind_running(module);
  bind_session(module);
  bind_executor(module);
  bind_tool(module);
}

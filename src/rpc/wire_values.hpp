// The library's values as the JSON text that the protocol promises.
#pragma once

#include <string>
#include <vector>

#include "cellblock/session.hpp"

namespace cellblock::rpc {

std::string to_wire(const Completion& completion);
std::string to_wire(const Inspection& inspection);
std::string to_wire(const Completeness& completeness);
std::string to_wire(const OutputPage& page);
/// {"variables": […]}
std::string to_wire(const std::vector<Variable>& variables);
/// {"files": […]}
std::string to_wire(const std::vector<FileInfo>& files);

}  // namespace cellblock::rpc

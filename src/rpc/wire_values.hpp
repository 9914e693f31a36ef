// The library's values as the JSON that the protocol promises.
#pragma once

#include <vector>

#include "cellblock/result.hpp"
#include "cellblock/session.hpp"
#include "rpc/json_text.hpp"

namespace cellblock::rpc {

Json to_wire(const IsolationReport& report);
Json to_wire(const std::vector<Variable>& variables);
Json to_wire(const std::vector<FileInfo>& files);
Json to_wire(const Completion& completion);
Json to_wire(const Inspection& inspection);
Json to_wire(const Completeness& completeness);
Json to_wire(const OutputPage& page);

}  // namespace cellblock::rpc

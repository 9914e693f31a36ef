// The audit events (PEP 578) that stand for what no import shows.
#pragma once

#include <array>
#include <string_view>

namespace cellblock::python {

struct AuditedCall {
  std::string_view event;                     ///< ends with '.' or '_': every event that begins so
  std::string_view lifted_by;                 ///< allowed when this module is; empty: never
  std::array<std::string_view, 2> functions;  ///< how a caller's code names it; empty: many ways
  bool usual_in_libraries;                    ///< not worth a count there
};

/// Null for every other event. Cheap: it is asked for each event of the interpreter.
const AuditedCall* find_audited_call(std::string_view event);

}  // namespace cellblock::python

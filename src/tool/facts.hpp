// What the words about execute_python are made from.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "cellblock/executor.hpp"
#include "cellblock/policy.hpp"

namespace cellblock::tool {

/// Members stay in the order in which they were put: definitions are read by people, too.
using Json = nlohmann::ordered_json;

/// What a call means that names no session.
enum class UnnamedSession {
  own,    ///< one session that all such calls share
  fresh,  ///< a new session, whose id is in the result
};

struct Facts {
  /// Asked for `policy`, so that allowed_imports is what both allows and has installed.
  EngineInfo engine;
  SecurityPolicy policy;
  UnnamedSession unnamed_session = UnnamedSession::own;
  /// Whether the model names sessions; if not, the caller decides in which one code runs.
  bool takes_session_id = true;
  /// Whether the tools for files and long output are there beside execute_python.
  bool has_companions = false;
};

/// The most bytes of text that a result gives to a model; follows the policy's max_stdout_bytes.
std::size_t model_text_budget(const SecurityPolicy& policy);

}  // namespace cellblock::tool

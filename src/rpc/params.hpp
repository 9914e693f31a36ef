// A request's parameters: what a method asks for, and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rpc/json_text.hpp"
#include "rpc/rpc_error.hpp"

namespace cellblock::rpc {

/// Reads named parameters of a JSON object. The first thing that is wrong is kept and every later
/// call answers with a default; finish() tells it. Names that were not asked for are refused.
class Params final {
 public:
  /// `where` begins the error's sentence, for example "session.run". Keeps references to both.
  Params(std::string_view where, const Json& object) : where_(where), object_(object) {}

  std::string string(const char* name);
  std::optional<std::string> optional_string(const char* name);
  /// A whole number from 0 to 2^53.
  std::optional<std::uint64_t> optional_count(const char* name);
  /// Greater than 0 and at most `max`.
  std::optional<double> optional_positive(const char* name, double max);
  std::optional<bool> optional_flag(const char* name);
  /// An object, or null when it is not there.
  const Json* optional_object(const char* name);
  /// One of `choices`; the first of them when it is not there.
  std::string choice(const char* name, const std::vector<std::string_view>& choices);

  /// Says that a parameter has a wrong value: `complaint` follows its name.
  void refuse(const char* name, std::string_view complaint);

  /// To be called after the last parameter was asked for.
  std::optional<RpcError> finish();

 private:
  const Json* find(const char* name);

  std::string_view where_;
  const Json& object_;
  std::vector<std::string> known_;
  std::optional<RpcError> wrong_;
};

}  // namespace cellblock::rpc

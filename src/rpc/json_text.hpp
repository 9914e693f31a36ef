// JSON text from and to a peer that is not trusted to send any.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cellblock/expected.hpp"

namespace cellblock::rpc {

using Json = nlohmann::json;

inline constexpr std::size_t kMaxNesting = 128;

/// Whether arrays and objects lie at most `limit` deep. Needs no valid JSON.
bool nesting_within(std::string_view text, std::size_t limit);

/// What an object is that names a key twice.
enum class RepeatedKeys { last_counts, refused };

/// Strict JSON in UTF-8, at most kMaxNesting deep. The error says where and why. No exception
/// leaves it.
Expected<Json, std::string> parse_json(std::string_view text,
                                       RepeatedKeys repeated = RepeatedKeys::last_counts);

/// One line; what is no UTF-8 in a string is replaced.
std::string to_text(const Json& value);

}  // namespace cellblock::rpc

// What reads the fields of a message's body. Each throws what std::exception is the base of when a
// field is missing or wrong; decode_with() makes an Error of it.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cellblock/expected.hpp"
#include "protocol/messages.hpp"

namespace cellblock::protocol {

using Json = nlohmann::json;

/// Decodes with `read`, which may throw nlohmann's exceptions on a wrong type or missing field.
template <class Read>
auto decode_with(std::string_view bytes, const Read& read)
    -> Expected<std::invoke_result_t<Read, Json&>> {
  auto body = decode_body(bytes);
  if (!body) return std::move(body).error();
  try {
    if (!body->is_object()) {
      return Error{ErrorKind::bad_argument, "The peer sent a message body that is no map."};
    }
    return read(*body);
  } catch (const std::exception& problem) {
    return Error{ErrorKind::bad_argument,
                 std::string("The peer sent a message body that does not fit: ") + problem.what()};
  }
}

inline std::string take_string(Json& object, const char* key) {
  Json& value = object.at(key);
  return std::move(value.get_ref<std::string&>());
}

/// Missing or null: empty.
inline std::string take_optional_string(Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return {};
  return std::move(found->get_ref<std::string&>());
}

/// Whole and within the type: to convert a float that is beyond it would be undefined behaviour.
template <class Int>
Int to_integer(const Json& value) {
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<Int>(value.get_ref<const Json::number_unsigned_t&>())
                        : value.is_number_integer() &&
                              std::in_range<Int>(value.get_ref<const Json::number_integer_t&>());
  if (!fits) throw std::invalid_argument("a number is not whole or out of range");
  return value.get<Int>();
}

}  // namespace cellblock::protocol

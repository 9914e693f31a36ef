#include "rpc/params.hpp"

#include <algorithm>

namespace cellblock::rpc {
namespace {

constexpr std::uint64_t kMaxCount = 1ULL << 53;
constexpr std::size_t kMaxQuoted = 60;

// A name that the peer chose, short enough for a sentence.
std::string in_quotes(std::string_view name) {
  std::string text = "\"" + std::string(name.substr(0, kMaxQuoted));
  return text + (name.size() > kMaxQuoted ? "…\"" : "\"");
}

std::string must_be(std::string_view what, const Json& value) {
  return "must be " + std::string(what) + ", not " + value.type_name();
}

}  // namespace

std::string Params::string(const char* name) {
  auto value = optional_string(name);
  if (!value) refuse(name, "is needed");
  return std::move(value).value_or("");
}

std::optional<std::string> Params::optional_string(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    refuse(name, must_be("a string", *value));
    return std::nullopt;
  }
  return value->get<std::string>();
}

std::optional<std::uint64_t> Params::optional_count(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool whole = value->is_number_unsigned() ||
                     (value->is_number_integer() && value->get<std::int64_t>() >= 0);
  if (!whole || value->get<std::uint64_t>() > kMaxCount) {
    refuse(name, value->is_number() ? "must be a whole number from 0 to 2^53"
                                    : must_be("a whole number", *value));
    return std::nullopt;
  }
  return value->get<std::uint64_t>();
}

std::optional<double> Params::optional_positive(const char* name, double max) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) {
    refuse(name, must_be("a number", *value));
    return std::nullopt;
  }
  const double number = value->get<double>();
  if (!(number > 0 && number <= max)) {
    refuse(name, "must be greater than 0 and at most " + Json(max).dump());
    return std::nullopt;
  }
  return number;
}

std::optional<bool> Params::optional_flag(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) {
    refuse(name, must_be("true or false", *value));
    return std::nullopt;
  }
  return value->get<bool>();
}

const Json* Params::optional_object(const char* name) {
  const Json* value = find(name);
  if (value == nullptr || value->is_object()) return value;
  refuse(name, must_be("an object", *value));
  return nullptr;
}

std::string Params::choice(const char* name, const std::vector<std::string_view>& choices) {
  auto value = optional_string(name);
  if (!value) return std::string(choices.front());
  if (std::find(choices.begin(), choices.end(), *value) == choices.end()) {
    std::string list;
    for (const auto choice : choices) {
      list.append(list.empty() ? "" : " or ").append(in_quotes(choice));
    }
    refuse(name, "must be " + list + ", not " + in_quotes(*value));
  }
  return *std::move(value);
}

void Params::refuse(const char* name, std::string_view complaint) {
  if (wrong_) return;
  wrong_ =
      bad_params(std::string(where_) + ": " + in_quotes(name) + " " + std::string(complaint) + ".");
}

std::optional<RpcError> Params::finish() {
  if (wrong_) return wrong_;
  for (const auto& item : object_.items()) {
    if (std::find(known_.begin(), known_.end(), item.key()) != known_.end()) continue;
    std::string list;
    for (const auto& name : known_) list.append(list.empty() ? "" : ", ").append(name);
    return bad_params(std::string(where_) + " knows no parameter " + in_quotes(item.key()) +
                      (list.empty() ? "; it takes none." : "; it takes " + list + "."));
  }
  return std::nullopt;
}

const Json* Params::find(const char* name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace cellblock::rpc

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages.hpp"

namespace cellblock::protocol {
namespace {

using Json = nlohmann::json;

// A byte on the wire can be a value of eighty bytes here; no honest message has near as many.
constexpr std::size_t kMostValues = 1'000'000;

/// Builds a value from parser events and stops at the limits; the library's own DOM parser recurses
/// as deep as the bytes say.
class BoundedBuilder {
 public:
  // The names of the events are nlohmann's.
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  explicit BoundedBuilder(std::size_t max_depth) : max_depth_(max_depth) {}

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(number_integer_t value) { return put(value); }
  bool number_unsigned(number_unsigned_t value) { return put(value); }
  bool number_float(number_float_t value, const string_t&) { return put(value); }
  bool string(string_t& value) { return put(std::move(value)); }
  bool binary(binary_t& value) { return put(std::move(value)); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(string_t& value) {
    keys_.back() = std::move(value);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) {
    return false;
  }

  [[nodiscard]] Json take() { return std::move(root_); }

 private:
  bool put(Json value) {
    if (++values_ > kMostValues) return false;
    if (stack_.empty()) {
      root_ = std::move(value);
    } else if (stack_.back().is_object()) {
      stack_.back()[keys_.back()] = std::move(value);
    } else {
      stack_.back().push_back(std::move(value));
    }
    return true;
  }
  bool open(Json container) {
    if (stack_.size() >= max_depth_) return false;
    stack_.push_back(std::move(container));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Json done = std::move(stack_.back());
    stack_.pop_back();
    keys_.pop_back();
    return put(std::move(done));
  }

  std::size_t max_depth_;
  std::size_t values_ = 0;
  Json root_;
  std::vector<Json> stack_;
  std::vector<std::string> keys_;
};

}  // namespace

Expected<Json> decode_body(std::string_view bytes, std::size_t max_depth) {
  BoundedBuilder builder(max_depth);
  try {
    if (!Json::sax_parse(bytes.begin(), bytes.end(), &builder, Json::input_format_t::msgpack)) {
      return Error{ErrorKind::bad_argument, "The peer sent a message body that cannot be read."};
    }
  } catch (const std::exception& problem) {
    return Error{
        ErrorKind::bad_argument,
        std::string("The peer sent a message body that cannot be read: ") + problem.what()};
  }
  return builder.take();
}

std::string encode_body(const Json& value) {
  std::string bytes;
  Json::to_msgpack(value, nlohmann::detail::output_adapter<char>(bytes));
  return bytes;
}

}  // namespace cellblock::protocol

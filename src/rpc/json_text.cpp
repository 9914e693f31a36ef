#include "rpc/json_text.hpp"

#include <optional>
#include <unordered_set>
#include <vector>

namespace cellblock::rpc {
namespace {

constexpr std::size_t kMaxReason = 200;
constexpr std::size_t kMaxKey = 60;

// The parser's own words without its prefix and without the input that it quotes at length.
std::string reason_of(const Json::exception& error) {
  std::string_view reason = error.what();
  if (const auto prefix = reason.find("] "); prefix != std::string_view::npos) {
    reason.remove_prefix(prefix + 2);
  }
  if (const auto quote = reason.find("; last read"); quote != std::string_view::npos) {
    reason = reason.substr(0, quote);
  }
  return std::string(reason.substr(0, kMaxReason));
}

// A value takes some sixteen bytes and more, a byte of text may be one.
constexpr std::size_t kMaxValues = 2'000'000;
struct TooManyValues {};

// The keys of the objects that the parser is in, and how much it has read.
class KeyWatch {
 public:
  // Always true: the parser keeps what it has read.
  bool see(Json::parse_event_t event, const Json& value) {
    if (++seen_ > kMaxValues) throw TooManyValues();
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!open_.back().insert(key).second && !repeated_) repeated_ = key;
    }
    return true;
  }

  [[nodiscard]] const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  std::size_t seen_ = 0;
  std::vector<std::unordered_set<std::string>> open_;
  std::optional<std::string> repeated_;
};

}  // namespace

bool nesting_within(std::string_view text, std::size_t limit) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > limit) return false;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

Expected<Json, std::string> parse_json(std::string_view text, RepeatedKeys repeated) {
  if (!nesting_within(text, kMaxNesting)) {
    return "arrays and objects may be nested " + std::to_string(kMaxNesting) + " deep at most";
  }
  try {
    if (repeated == RepeatedKeys::last_counts) return Json::parse(text);
    KeyWatch watch;
    auto value = Json::parse(text, [&watch](int /*depth*/, Json::parse_event_t event, Json& key) {
      return watch.see(event, key);
    });
    if (watch.repeated()) {
      return "an object names the key " + to_text(watch.repeated()->substr(0, kMaxKey)) + " twice";
    }
    return value;
  } catch (const TooManyValues&) {
    return "it holds more than " + std::to_string(kMaxValues) + " values and keys";
  } catch (const Json::exception& error) {
    return reason_of(error);
  }
}

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cellblock::rpc

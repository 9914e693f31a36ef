// How the data of a MIME type stands in JSON: as text, as a value, or else in base64.
#pragma once

#include <string>

namespace cellblock::host {

inline bool is_text_type(const std::string& type) {
  return type.starts_with("text/") || type == "image/svg+xml" || type == "application/javascript";
}

inline bool is_json_type(const std::string& type) {
  return type == "application/json" || type.ends_with("+json");
}

}  // namespace cellblock::host

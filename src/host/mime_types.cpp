#include "host/mime_types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace cellblock::host {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;
constexpr std::array kTypes{
    Entry{"csv", "text/csv"},
    Entry{"tsv", "text/tab-separated-values"},
    Entry{"txt", "text/plain"},
    Entry{"log", "text/plain"},
    Entry{"md", "text/markdown"},
    Entry{"html", "text/html"},
    Entry{"htm", "text/html"},
    Entry{"py", "text/x-python"},
    Entry{"json", "application/json"},
    Entry{"jsonl", "application/jsonl"},
    Entry{"ndjson", "application/jsonl"},
    Entry{"xml", "application/xml"},
    Entry{"yaml", "application/yaml"},
    Entry{"yml", "application/yaml"},
    Entry{"png", "image/png"},
    Entry{"jpg", "image/jpeg"},
    Entry{"jpeg", "image/jpeg"},
    Entry{"gif", "image/gif"},
    Entry{"webp", "image/webp"},
    Entry{"svg", "image/svg+xml"},
    Entry{"pdf", "application/pdf"},
    Entry{"zip", "application/zip"},
    Entry{"gz", "application/gzip"},
    Entry{"parquet", "application/vnd.apache.parquet"},
    Entry{"arrow", "application/vnd.apache.arrow.file"},
    Entry{"sqlite", "application/vnd.sqlite3"},
    Entry{"db", "application/vnd.sqlite3"},
    Entry{"xls", "application/vnd.ms-excel"},
    Entry{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
};

}  // namespace

std::string mime_type_of(std::string_view path) {
  const auto dot = path.rfind('.');
  std::string ending(dot == std::string_view::npos ? "" : path.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const Entry& entry) { return entry.first == ending; });
  return std::string(found == kTypes.end() ? "application/octet-stream" : found->second);
}

}  // namespace cellblock::host

#include "cli/history_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/unique_fd.hpp"

namespace cellblock::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxEntryBytes = 1U << 20;

std::string as_line(std::string_view entry) {
  return Json(entry).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool add_to(const std::string& path, int flags, std::string_view text) {
  const base::UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

std::vector<std::string> HistoryFile::load() {
  std::vector<std::string> entries;
  if (path_.empty()) return entries;
  std::ifstream file(path_, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    const Json entry = Json::parse(line, nullptr, false);
    if (entry.is_string()) entries.push_back(entry.get<std::string>());
  }
  const std::size_t found = entries.size();
  if (found > limit_) {
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(limit_));
  }
  if (found >= 2 * limit_) rewrite(entries);
  return entries;
}

void HistoryFile::append(std::string_view entry) {
  if (path_.empty() || entry.size() > kMaxEntryBytes) return;
  // One write at the end of the file: entries of two REPLs do not mix.
  add_to(path_, O_APPEND, as_line(entry));
}

void HistoryFile::rewrite(const std::vector<std::string>& entries) const {
  std::string text;
  for (const auto& entry : entries) text += as_line(entry);
  const std::string fresh = path_ + "." + std::to_string(::getpid());
  if (!add_to(fresh, O_TRUNC, text) || std::rename(fresh.c_str(), path_.c_str()) != 0) {
    ::unlink(fresh.c_str());
  }
}

}  // namespace cellblock::cli

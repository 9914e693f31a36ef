#include "cli/uploads.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace cellblock::cli {
namespace {

constexpr std::size_t kPieceBytes = 8U << 20;

Error about(const std::string& local, const std::string& what) {
  return Error{ErrorKind::bad_argument, "Cannot read " + local + ": " + what + "."};
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

UploadNames parse_upload(const std::string& argument) {
  UploadNames names{argument, {}};
  const auto colon = argument.rfind(':');
  if (colon != std::string::npos && !exists(argument)) {
    names = {argument.substr(0, colon), argument.substr(colon + 1)};
  }
  if (names.workspace.empty()) {
    names.workspace = std::filesystem::path(names.local).filename().string();
  }
  return names;
}

Expected<void> upload_local_file(Session& session, const std::string& argument) {
  const UploadNames names = parse_upload(argument);
  std::error_code wrong;
  if (std::filesystem::is_directory(names.local, wrong)) {
    return about(names.local, "it is a folder");
  }
  std::ifstream file(names.local, std::ios::binary);
  if (!file) return about(names.local, std::strerror(errno));
  std::string piece(kPieceBytes, '\0');
  for (bool first = true; first || file; first = false) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const std::string_view read(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (read.empty() && !first) break;
    auto written =
        first ? session.upload(names.workspace, read) : session.append(names.workspace, read);
    if (!written) {
      return Error{written.error().kind, names.local + ": " + written.error().message};
    }
  }
  if (file.bad()) return about(names.local, "reading it failed");
  return {};
}

}  // namespace cellblock::cli

#include "cli/uploads.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

namespace cellblock::cli {
namespace {

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
  auto written = session.upload_file(names.local, names.workspace);
  if (!written) return Error{written.error().kind, names.local + ": " + written.error().message};
  return {};
}

}  // namespace cellblock::cli

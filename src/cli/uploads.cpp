#include "cli/uploads.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
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

Expected<Redaction> parse_redaction(const std::vector<std::string>& arguments) {
  Redaction redaction;
  for (const std::string& argument : arguments) {
    const auto equals = argument.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorKind::bad_argument,
                   "\"" + argument + "\" is no COLUMN=RULE, as email=hash."};
    }
    redaction.rules[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  return redaction;
}

Expected<void> upload_local_file(Session& session, const std::string& argument,
                                 const Redaction& redaction) {
  const UploadNames names = parse_upload(argument);
  std::optional<Error> wrong;
  if (redaction.rules.empty()) {
    auto written = session.upload_file(names.local, names.workspace);
    if (!written) wrong = written.error();
  } else {
    auto report = session.upload_redacted(names.local, names.workspace, redaction);
    if (!report) wrong = report.error();
  }
  if (wrong) return Error{wrong->kind, names.local + ": " + wrong->message};
  return {};
}

}  // namespace cellblock::cli

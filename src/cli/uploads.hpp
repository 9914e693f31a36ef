// Local files for a session's workspace.
#pragma once

#include <string>

#include "cellblock/session.hpp"

namespace cellblock::cli {

struct UploadNames {
  std::string local;
  std::string workspace;
};

/// Reads LOCAL[:NAME]. A local file whose own name has a colon is taken whole; without a NAME the
/// file keeps its own.
UploadNames parse_upload(const std::string& argument);

/// Copies the file in pieces. The error names what is wrong.
Expected<void> upload_local_file(Session& session, const std::string& argument);

}  // namespace cellblock::cli

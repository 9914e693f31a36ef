// Local files for a session's workspace.
#pragma once

#include <string>
#include <vector>

#include "cellblock/session.hpp"

namespace cellblock::cli {

struct UploadNames {
  std::string local;
  std::string workspace;
};

/// Reads LOCAL[:NAME]. A local file whose own name has a colon is taken whole; without a NAME the
/// file keeps its own.
UploadNames parse_upload(const std::string& argument);

/// Reads COLUMN=RULE, one for each column. Error kind: bad_argument.
Expected<Redaction> parse_redaction(const std::vector<std::string>& arguments);

/// Copies the file in pieces, redacted where there are rules. The error names what is wrong.
Expected<void> upload_local_file(Session& session, const std::string& argument,
                                 const Redaction& redaction);

}  // namespace cellblock::cli

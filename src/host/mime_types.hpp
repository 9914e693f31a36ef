// MIME types by file name.
#pragma once

#include <string>
#include <string_view>

namespace cellblock::host {

/// "application/octet-stream" for an ending that is not known. The endings are those of IANA's
/// media type registry that data work meets.
std::string mime_type_of(std::string_view path);

}  // namespace cellblock::host

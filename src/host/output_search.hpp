// Which lines of kept output match a pattern.
#pragma once

#include <string>
#include <string_view>

#include "cellblock/result.hpp"

namespace cellblock::host {

struct FoundLines {
  std::string text;    ///< valid UTF-8
  Bytes searched = 0;  ///< from the start; at the end of a line but where the text ends
};

/// The lines of `text` that match the ECMAScript regular expression, as many as fit into `limit`
/// bytes: a match that does not fit is left to the next search, but a single one longer than the
/// limit is cut to it. Takes a few seconds at most: a slow pattern gets less far. Error kind:
/// bad_argument (the pattern).
Expected<FoundLines> find_lines(std::string_view text, Bytes limit, const std::string& pattern);

}  // namespace cellblock::host

// Content blocks: the parts of a tool's result that a model reads.
#pragma once

#include <string>
#include <string_view>

#include "cellblock/result.hpp"
#include "mcp/refusal.hpp"

namespace cellblock::mcp {

/// Text from a session or our own, with terminal controls, bidi overrides and the like shown
/// instead of kept (base/terminal_text.hpp).
Json text_block(std::string_view text);

/// Null: the bytes are no picture of that type, or it is none that models take (PNG, JPEG, GIF,
/// WebP). A model's interface refuses a whole conversation for one broken picture.
Json image_block(std::string_view mime, std::string_view bytes);

/// A link to a resource, for resources/read.
Json link_block(std::string_view uri, std::string_view name, std::string_view mime,
                std::optional<Bytes> size);

/// What a resource holds: text where the MIME type is one of text and the bytes are UTF-8, else
/// base64.
Json resource_contents(std::string_view uri, std::string_view mime, std::string_view bytes);

bool is_text(std::string_view mime, std::string_view bytes);

}  // namespace cellblock::mcp

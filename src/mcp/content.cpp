#include "mcp/content.hpp"

#include "base/base64.hpp"
#include "base/terminal_text.hpp"
#include "base/utf8.hpp"

namespace cellblock::mcp {
namespace {

bool begins_like(std::string_view mime, std::string_view bytes) {
  if (mime == "image/png") return bytes.starts_with("\x89PNG\r\n\x1a\n");
  if (mime == "image/jpeg") return bytes.starts_with("\xff\xd8\xff");
  if (mime == "image/gif") return bytes.starts_with("GIF8");
  return mime == "image/webp" && bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP");
}

bool is_text_type(std::string_view mime) {
  return mime.starts_with("text/") || mime == "application/json" || mime.ends_with("+json") ||
         mime == "application/jsonl" || mime == "application/xml" || mime.ends_with("+xml") ||
         mime == "application/yaml" || mime == "application/javascript";
}

}  // namespace

Json text_block(std::string_view text) {
  return {{"type", "text"}, {"text", base::terminal_safe_text(text)}};
}

Json image_block(std::string_view mime, std::string_view bytes) {
  if (!begins_like(mime, bytes)) return nullptr;
  return {{"type", "image"}, {"data", base::base64_encode(bytes)}, {"mimeType", mime}};
}

Json link_block(std::string_view uri, std::string_view name, std::string_view mime,
                std::optional<Bytes> size) {
  Json block{{"type", "resource_link"},
             {"uri", uri},
             {"name", base::terminal_safe_line(name)},
             {"mimeType", mime}};
  if (size) block["size"] = *size;
  return block;
}

bool is_text(std::string_view mime, std::string_view bytes) {
  return is_text_type(mime) && base::to_valid_utf8(bytes) == bytes;
}

Json resource_contents(std::string_view uri, std::string_view mime, std::string_view bytes) {
  Json contents{{"uri", uri}, {"mimeType", mime}};
  if (is_text(mime, bytes)) {
    contents["text"] = bytes;
  } else {
    contents["blob"] = base::base64_encode(bytes);
  }
  return contents;
}

}  // namespace cellblock::mcp

#include "host/output_capture.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "host/output_search.hpp"

namespace cellblock::host {
OutputCapture::OutputCapture(Bytes cap, Bytes spool)
    : cap_(cap), spool_limit_(std::max(cap, spool)) {}

void OutputCapture::append(std::string_view bytes) {
  total_ += bytes.size();
  const auto room = std::min<Bytes>(bytes.size(), spool_limit_ - spool_.size());
  spool_.append(bytes.substr(0, room));
  bytes.remove_prefix(room);
  if (bytes.empty()) return;
  const Bytes wanted = cap_ / 2;
  if (bytes.size() > wanted) bytes.remove_prefix(bytes.size() - wanted);
  tail_.append(bytes);
  // Trimming only now and then keeps it linear.
  if (tail_.size() > 4 * wanted + 65'536) tail_.erase(0, tail_.size() - wanted);
}

std::string OutputCapture::last(Bytes size) const {
  if (tail_.size() >= size) return tail_.substr(tail_.size() - size);
  const Bytes rest = size - tail_.size();
  return spool_.substr(spool_.size() - rest) + tail_;
}

OutputCapture::Cut OutputCapture::cut() const {
  const Bytes half = cap_ / 2;
  const Bytes head = base::floor_to_character(spool_, half);
  const std::string end = last(half);
  return {.head = head, .tail = half - base::ceil_to_character(end, 0)};
}

std::string OutputCapture::text() const {
  if (total_ <= cap_) return base::to_valid_utf8(spool_);
  const Cut parts = cut();
  std::string text = base::to_valid_utf8(std::string_view(spool_).substr(0, parts.head));
  const std::string size =
      cap_ % 1024 == 0 ? std::to_string(cap_ / 1024) + " KB" : std::to_string(cap_) + " bytes";
  text += "\n[output was truncated at " + size + ": " +
          std::to_string(total_ - parts.head - parts.tail) +
          " bytes omitted — use .head() or aggregate first]\n";
  text += base::to_valid_utf8(last(parts.tail));
  return text;
}

std::optional<Truncation> OutputCapture::truncation() const {
  if (total_ <= cap_) return std::nullopt;
  const Cut parts = cut();
  return Truncation{.total_bytes = total_, .omitted_bytes = total_ - parts.head - parts.tail};
}

Expected<OutputPage> OutputCapture::page(Bytes offset, Bytes limit,
                                         const std::optional<std::string>& pattern) const {
  OutputPage page{.text = {}, .next_offset = total_, .total_bytes = total_};
  if (offset >= total_) return page;
  if (offset >= spool_.size()) {
    return Error{ErrorKind::too_large,
                 "Bytes from " + std::to_string(spool_.size()) +
                     " on were counted, not kept: raise the policy's spool_bytes or print less."};
  }
  const std::string_view rest = std::string_view(spool_).substr(offset);
  if (pattern) {
    auto found = find_lines(rest, limit, *pattern);
    if (!found) return std::move(found).error();
    page.text = std::move(found->text);
    page.next_offset = offset + found->searched;
    return page;
  }
  Bytes size = std::min<Bytes>(rest.size(), limit);
  if (size < rest.size()) {
    const Bytes whole = base::floor_to_character(rest, size);
    size = whole > 0 ? whole : base::ceil_to_character(rest, size);
  }
  page.text = base::to_valid_utf8(rest.substr(0, size));
  page.next_offset = offset + size;
  return page;
}

}  // namespace cellblock::host

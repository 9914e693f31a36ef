// What a session wrote to one of its streams during one execution.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "cellblock/result.hpp"
#include "cellblock/session.hpp"

namespace cellblock::host {

/// Keeps the first `spool` bytes for paging and the last ones for the result; what lies between is
/// counted and dropped, so memory stays bounded however much is written.
class OutputCapture final {
 public:
  OutputCapture(Bytes cap, Bytes spool);

  void append(std::string_view bytes);
  [[nodiscard]] Bytes total_bytes() const { return total_; }
  [[nodiscard]] Bytes kept_bytes() const { return spool_.size() + tail_.size(); }

  /// Valid UTF-8: everything when it fits the cap, else its head, a notice and its tail.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::optional<Truncation> truncation() const;

  /// A part of what was written; with a pattern, lines as in find_lines(). Error kinds:
  /// bad_argument (the pattern), too_large (the part was dropped past the spool).
  [[nodiscard]] Expected<OutputPage> page(Bytes offset, Bytes limit,
                                          const std::optional<std::string>& pattern) const;

 private:
  struct Cut {
    Bytes head;
    Bytes tail;
  };
  [[nodiscard]] Cut cut() const;
  /// The last `size` bytes that were written; `size` is at most half the cap.
  [[nodiscard]] std::string last(Bytes size) const;

  Bytes cap_;
  Bytes spool_limit_;
  Bytes total_ = 0;
  std::string spool_;
  std::string tail_;  // what came after the spool was full; trimmed to half the cap at times
};

}  // namespace cellblock::host

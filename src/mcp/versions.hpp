// The protocol's versions and what differs between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcp/message.hpp"

namespace cellblock::mcp {

inline constexpr std::string_view kStatelessVersion = "2026-07-28";

/// The handshake versions from `oldest` on, newest first.
std::vector<std::string> handshake_versions(const std::string& oldest);

/// How an answer is worded for the peer that gets it.
struct Dialect {
  Era era = Era::handshake;
  std::string version;

  /// Tool annotations (2025-03-26 and later).
  [[nodiscard]] bool has_annotations() const { return version >= "2025-03-26"; }
  /// Titles, structuredContent and outputSchema, resource links (2025-06-18 and later).
  [[nodiscard]] bool has_structure() const { return version >= "2025-06-18"; }
  /// Several messages in one array: that version only.
  [[nodiscard]] bool has_batches() const { return version == "2025-03-26"; }
};

}  // namespace cellblock::mcp

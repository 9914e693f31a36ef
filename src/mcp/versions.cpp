#include "mcp/versions.hpp"

#include <array>

#include "mcp/server.hpp"

namespace cellblock::mcp {
namespace {

constexpr std::array<std::string_view, 4> kHandshake = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                        "2024-11-05"};

}  // namespace

std::vector<std::string> handshake_versions(const std::string& oldest) {
  std::vector<std::string> versions;
  for (const auto version : kHandshake) {
    if (version >= oldest) versions.emplace_back(version);
  }
  return versions;
}

std::vector<std::string> supported_versions(const std::string& oldest) {
  auto versions = handshake_versions(oldest);
  versions.insert(versions.begin(), std::string(kStatelessVersion));
  return versions;
}

}  // namespace cellblock::mcp

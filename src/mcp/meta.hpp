// Keys of _meta that the protocol reserves.
#pragma once

namespace cellblock::mcp {

inline constexpr const char* kProtocolVersionKey = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kClientInfoKey = "io.modelcontextprotocol/clientInfo";
inline constexpr const char* kClientCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kServerInfoKey = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kSubscriptionIdKey = "io.modelcontextprotocol/subscriptionId";
inline constexpr const char* kProgressTokenKey = "progressToken";

/// Our own, in the results of tools that refused: which ErrorKind it was.
inline constexpr const char* kErrorKindKey = "cellblock/kind";
/// Our own, in what resources/read gives of a long text: where to go on.
inline constexpr const char* kNextOffsetKey = "cellblock/next_offset";
inline constexpr const char* kTotalBytesKey = "cellblock/total_bytes";

}  // namespace cellblock::mcp

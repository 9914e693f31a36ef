// Where a session in a cage with mounts of its own has its workspace.
#pragma once

namespace cellblock::protocol {

/// The mount, which is what getcwd() gives.
inline constexpr const char* kWorkspaceMount = "/s/workspace";
/// The link to it that user code sees.
inline constexpr const char* kWorkspace = "/workspace";

}  // namespace cellblock::protocol

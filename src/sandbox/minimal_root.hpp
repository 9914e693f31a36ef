// The read-only root that every cage starts from: entered once, by the zygote.
#pragma once

#include <string>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"
#include "protocol/cage_paths.hpp"
#include "sandbox/file_view.hpp"

namespace cellblock::sandbox {

// Where a cage's own file systems go. One level down, so that one Landlock rule on the folder
// above them holds whatever is mounted there: a rule on a place that is mounted over is ignored.
inline constexpr const char* kWritableFolder = "/s";
using protocol::kWorkspaceMount;
inline constexpr const char* kTemporaryMount = "/s/tmp";
// The links to them that user code sees.
using protocol::kWorkspace;
inline constexpr const char* kTemporary = "/tmp";

/// Whether the path lies where a cage has its own files, so that the root cannot show it.
bool lies_in_temporary(const std::string& path);
bool lies_in_workspace(const std::string& path);

/// Takes this process into a mount namespace of its own, with a root that holds the view, empty
/// folders for a cage's own file systems, and nothing else: no /proc, no /sys. What lies in those
/// folders is left out. Gives the mount
/// namespace with the machine's files as they were, for HostMounts. After an error the process may
/// be in namespaces of its own already, but its root is as it was. Single-threaded processes only.
/// Error kind: host_error; a clause without the final full stop.
Expected<base::UniqueFd> enter_minimal_root(const FileView& view);

/// Whether the root of this process is such a one: a harmless write to it is refused as one to a
/// read-only file system, and /proc is not there.
bool root_is_minimal();

}  // namespace cellblock::sandbox

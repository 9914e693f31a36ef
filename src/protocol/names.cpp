// The wire names of the public enums: one table for each, in the order of the enum.
#include <array>
#include <string_view>

#include "cellblock/error.hpp"
#include "cellblock/result.hpp"

namespace cellblock {
namespace {

constexpr std::array<std::string_view, 9> kErrorKinds{
    "unknown_session", "expired",      "busy_limit", "policy_invalid", "isolation_unavailable",
    "unsupported",     "bad_argument", "too_large",  "host_error"};
constexpr std::array<std::string_view, 9> kStatuses{"ok",      "error",        "exit",
                                                    "timeout", "memory_limit", "cpu_limit",
                                                    "crashed", "cancelled",    "host_error"};
constexpr std::array<std::string_view, 19> kCauses{
    "exception", "syntax",    "import_refused", "exit",    "wall_time",
    "cpu_time",  "memory",    "processes",      "threads", "open_files",
    "file_size", "disk_full", "denied_syscall", "signal",  "stack_overflow",
    "protocol",  "caller",    "zygote_lost",    "host"};
constexpr std::array<std::string_view, 3> kStates{"kept", "rolled_back", "lost"};
constexpr std::array<std::string_view, 2> kStoppedBy{"sigint", "sigkill"};

}  // namespace

std::string_view to_string(ErrorKind kind) { return kErrorKinds.at(static_cast<size_t>(kind)); }
std::string_view to_string(Status status) { return kStatuses.at(static_cast<size_t>(status)); }
std::string_view to_string(Cause cause) { return kCauses.at(static_cast<size_t>(cause)); }
std::string_view to_string(State state) { return kStates.at(static_cast<size_t>(state)); }
std::string_view to_string(StoppedBy stopped_by) {
  return kStoppedBy.at(static_cast<size_t>(stopped_by));
}

}  // namespace cellblock

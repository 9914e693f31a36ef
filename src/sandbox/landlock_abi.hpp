// Landlock's constants and structures of every ABI, each with the kernel that brought it: installed
// headers lag far behind kernels.
#pragma once

#include <cstdint>

namespace cellblock::sandbox::landlock {

// ABI 1, kernel 5.13
inline constexpr std::uint64_t kExecute = 1U << 0;
inline constexpr std::uint64_t kWriteFile = 1U << 1;
inline constexpr std::uint64_t kReadFile = 1U << 2;
inline constexpr std::uint64_t kReadDir = 1U << 3;
inline constexpr std::uint64_t kRemoveDir = 1U << 4;
inline constexpr std::uint64_t kRemoveFile = 1U << 5;
inline constexpr std::uint64_t kMakeChar = 1U << 6;
inline constexpr std::uint64_t kMakeDir = 1U << 7;
inline constexpr std::uint64_t kMakeReg = 1U << 8;
inline constexpr std::uint64_t kMakeSock = 1U << 9;
inline constexpr std::uint64_t kMakeFifo = 1U << 10;
inline constexpr std::uint64_t kMakeBlock = 1U << 11;
inline constexpr std::uint64_t kMakeSym = 1U << 12;
inline constexpr std::uint64_t kRefer = 1U << 13;           // ABI 2, kernel 5.19
inline constexpr std::uint64_t kTruncate = 1U << 14;        // ABI 3, kernel 6.2
inline constexpr std::uint64_t kBindTcp = 1U << 0;          // ABI 4, kernel 6.7
inline constexpr std::uint64_t kConnectTcp = 1U << 1;       // ABI 4
inline constexpr std::uint64_t kIoctlDev = 1U << 15;        // ABI 5, kernel 6.10
inline constexpr std::uint64_t kAbstractSockets = 1U << 0;  // ABI 6, kernel 6.12: a scope
inline constexpr std::uint64_t kSignals = 1U << 1;          // ABI 6: a scope
inline constexpr std::uint32_t kLogSameExecOff = 1U << 0;   // ABI 7, kernel 6.15
inline constexpr std::uint64_t kResolveUnix = 1U << 16;     // ABI 9, kernel 7.1

/// Older kernels accept it whole, as long as they know no bit of what they do not know.
struct RulesetAttributes {
  std::uint64_t handled_files = 0;
  std::uint64_t handled_network = 0;
  std::uint64_t scoped = 0;
};

struct PathBeneath {
  std::uint64_t allowed;
  std::int32_t parent_fd;
} __attribute__((packed));

inline constexpr std::uint32_t kCreateRulesetVersion = 1U << 0;
inline constexpr int kRulePathBeneath = 1;

/// Every right and scope that a kernel with this ABI can deny.
constexpr RulesetAttributes everything(int abi) {
  RulesetAttributes all{.handled_files = kRefer - 1};
  if (abi >= 2) all.handled_files |= kRefer;
  if (abi >= 3) all.handled_files |= kTruncate;
  if (abi >= 4) all.handled_network = kBindTcp | kConnectTcp;
  if (abi >= 5) all.handled_files |= kIoctlDev;
  if (abi >= 6) all.scoped = kAbstractSockets | kSignals;
  if (abi >= 9) all.handled_files |= kResolveUnix;
  return all;
}

/// Denials would otherwise fill the machine's audit log, as fast as a session can cause them.
constexpr std::uint32_t restrict_flags(int abi) { return abi >= 7 ? kLogSameExecOff : 0; }

}  // namespace cellblock::sandbox::landlock

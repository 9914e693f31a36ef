#include "sandbox/landlock.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "sandbox/kernel.hpp"
#include "sandbox/landlock_abi.hpp"

namespace cellblock::sandbox {
namespace {

using namespace landlock;

constexpr const char* kStep = "restrict its files by Landlock";
constexpr std::uint64_t kOfFiles = kReadFile | kWriteFile | kTruncate;

std::uint64_t rights_of(PathAccess access) {
  switch (access) {
    case PathAccess::read:
      return kReadFile | kReadDir;
    case PathAccess::device:
      return kOfFiles;
    case PathAccess::read_write:
      break;
  }
  return kOfFiles | kReadDir | kRemoveDir | kRemoveFile | kMakeDir | kMakeReg | kMakeFifo |
         kMakeSym | kRefer;
}

/// Those of the kernel's that make sense for what the path is: others would be refused.
std::uint64_t usable_rights(PathAccess access, int path, int abi) {
  struct stat status {};
  const std::uint64_t rights = rights_of(access) & everything(abi).handled_files;
  const bool is_folder = ::fstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return is_folder ? rights : rights & kOfFiles;
}

Failure add_rule(int ruleset, int path, std::uint64_t rights) {
  const PathBeneath rule{.allowed = rights, .parent_fd = path};
  return check(::syscall(SYS_landlock_add_rule, ruleset, kRulePathBeneath, &rule, 0U), kStep);
}

}  // namespace

Expected<Landlock> Landlock::prepare(const std::vector<PathRule>& rules) {
  Landlock made;
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0UL, kCreateRulesetVersion);
  if (abi < 0) {
    made.error_ = errno;
    return made;
  }
  made.abi_ = static_cast<int>(abi);
  for (const PathRule& rule : rules) {
    base::UniqueFd path(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    if (!path) continue;
    const std::uint64_t rights = usable_rights(rule.access, path.get(), made.abi_);
    made.rules_.push_back({.path = std::move(path), .rights = rights});
  }
  made.ruleset_.reset(made.create_ruleset());
  const Failure failure =
      made.ruleset_ ? made.add_rules(made.ruleset_.get()) : Failure{kStep, errno};
  if (failure) {
    return Error{ErrorKind::isolation_unavailable,
                 std::string("The zygote cannot prepare Landlock (") +
                     std::strerror(failure.error) + ", ABI " + std::to_string(made.abi_) + ")."};
  }
  return made;
}

Failure Landlock::restrict_self() const { return abi_ == 0 ? Failure{} : apply(ruleset_.get()); }

Failure Landlock::restrict_self_and(std::span<const PathRule> more) const {
  if (abi_ == 0) return {};
  const base::UniqueFd ruleset(create_ruleset());
  if (!ruleset) return {kStep, errno};
  if (const Failure failure = add_rules(ruleset.get())) return failure;
  for (const PathRule& rule : more) {
    const base::UniqueFd path(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
    if (!path) return {"open its workspace", errno};
    const std::uint64_t rights = usable_rights(rule.access, path.get(), abi_);
    if (const Failure failure = add_rule(ruleset.get(), path.get(), rights)) return failure;
  }
  return apply(ruleset.get());
}

int Landlock::create_ruleset() const {
  // Kernels take a size beyond their own when the rest is zero; the shorter ones know fewer bits.
  const RulesetAttributes attributes = everything(abi_);
  return static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0U));
}

Failure Landlock::add_rules(int ruleset) const {
  for (const OpenRule& rule : rules_) {
    if (const Failure failure = add_rule(ruleset, rule.path.get(), rule.rights)) return failure;
  }
  return {};
}

Failure Landlock::apply(int ruleset) const {
  return check(::syscall(SYS_landlock_restrict_self, ruleset, restrict_flags(abi_)), kStep);
}

bool Landlock::bounds_signals() const noexcept { return (everything(abi_).scoped & kSignals) != 0; }

std::string Landlock::detail() const {
  if (abi_ > 0) return "ABI " + std::to_string(abi_);
  if (error_ == EOPNOTSUPP) {
    return "switched off in this kernel: add landlock to the kernel parameter lsm=";
  }
  if (error_ == ENOSYS) return "this kernel has no Landlock: use 5.13 or newer, built with it";
  return std::string("refused here (") + std::strerror(error_) +
         "): allow the landlock system calls where this runs";
}

bool landlock_is_seen() {
  const base::UniqueFd root(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return !root && errno == EACCES;
}

}  // namespace cellblock::sandbox

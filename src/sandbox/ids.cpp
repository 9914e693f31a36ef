#include "sandbox/ids.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace cellblock::sandbox {
namespace {

// systemd's table of user numbers (UIDS-GIDS) leaves this range to nobody; which part of it a
// zygote uses is drawn, so that two rarely share a number.
constexpr std::uint64_t kUnusedFirst = 0x70000000U;
constexpr std::uint64_t kUnusedEnd = 0x7fff0000U;
constexpr std::uint32_t kMostSessions = 65'536;
constexpr std::uint32_t kFewestSessions = 1'024;

bool has_capability(int capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2] = {};
  if (::syscall(SYS_capget, &header, held) != 0) return false;
  return (held[capability / 32].effective & (1U << (capability % 32))) != 0;
}

std::uint64_t drawn_below(std::uint64_t limit) {
  std::uint64_t number = 0;
  static_cast<void>(::getrandom(&number, sizeof(number), 0));
  return limit == 0 ? 0 : number % limit;
}

}  // namespace

std::optional<SessionIds::Range> find_session_ids() {
  if (!has_capability(CAP_SETUID) || !has_capability(CAP_SETGID)) return std::nullopt;
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t best_first = 0;
  std::uint64_t best_count = 0;
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  while (map >> inside >> outside >> count) {
    if (inside <= kUnusedFirst && inside + count >= kUnusedEnd) {
      const std::uint64_t room = kUnusedEnd - kUnusedFirst - kMostSessions;
      return SessionIds::Range{static_cast<uid_t>(kUnusedFirst + drawn_below(room)), kMostSessions};
    }
    // In a container: the upper half of what it has, where its own users are not.
    if (count / 2 > best_count) {
      best_count = count / 2;
      best_first = inside + count - best_count;
    }
  }
  if (best_count < kFewestSessions) return std::nullopt;
  return SessionIds::Range{
      static_cast<uid_t>(best_first),
      static_cast<std::uint32_t>(std::min<std::uint64_t>(best_count, kMostSessions))};
}

SessionIds::SessionIds(Range range) : range_(range) {}

std::optional<uid_t> SessionIds::take() {
  for (std::uint32_t tries = 0; tries < range_.count; ++tries) {
    const uid_t id = range_.first + next_;
    next_ = (next_ + 1) % range_.count;
    if (used_.insert(id).second) return id;
  }
  return std::nullopt;
}

Failure become_user(uid_t id) {
  // Raw calls: glibc's would also ask its other threads, of which there are none.
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) return {"leave its groups", errno};
  if (::syscall(SYS_setresgid, id, id, id) != 0) return {"change its group", errno};
  return check(::syscall(SYS_setresuid, id, id, id), "change its user");
}

bool is_only_user(uid_t id) {
  uid_t user[3] = {};
  gid_t group[3] = {};
  return ::getresuid(&user[0], &user[1], &user[2]) == 0 &&
         ::getresgid(&group[0], &group[1], &group[2]) == 0 &&
         std::all_of(user, user + 3, [id](uid_t u) { return u == id; }) &&
         std::all_of(group, group + 3, [id](gid_t g) { return g == id; }) &&
         ::getgroups(0, nullptr) == 0;
}

}  // namespace cellblock::sandbox

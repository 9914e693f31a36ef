#include "zygote/layer_report.hpp"

#include <unistd.h>

#include <string>

#include "sandbox/cage.hpp"
#include "sandbox/capabilities.hpp"
#include "sandbox/descriptors.hpp"
#include "sandbox/ids.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/minimal_root.hpp"
#include "sandbox/no_new_privileges.hpp"
#include "sandbox/resource_limits.hpp"
#include "sandbox/seccomp_filter.hpp"

namespace cellblock::zygote {
namespace {

bool counts_tasks(const Cage* cage) {
  return cage != nullptr &&
         ((cage->space->user && cage->space->user->id() != 0) || cage->space->namespaces.user);
}

std::string limits_detail(const Cage* cage, const protocol::ResourceLimits& limits) {
  std::string detail;
  if (limits.data_bytes && !sandbox::kLimitsMemory) {
    detail = "without the memory limit, which AddressSanitizer does not allow";
  }
  if (limits.tasks && !counts_tasks(cage)) {
    detail += detail.empty() ? "" : "; ";
    detail += "without the limit on threads: this session shares its user number with others";
  }
  return detail;
}

Layer pid_namespace(const ZygoteFacts& facts, const Cage* cage) {
  const bool on = cage != nullptr && sandbox::is_first_of_cage();
  return {"pid_namespace", on, on ? "" : "no cage: " + facts.cages_detail};
}

Layer mounts(const ZygoteFacts& facts, const protocol::ForkRequest& request, const Cage* cage) {
  const bool on = cage != nullptr && cage->space->namespaces.mounts && sandbox::root_is_minimal();
  if (!on) return {"mounts", false, facts.mounts_detail};
  return {"mounts", true,
          request.workspace.folder.empty()
              ? ""
              : "the workspace is a folder of this machine: its byte and file limits are not held"};
}

Layer ids(const Cage* cage) {
  if (cage != nullptr && cage->space->user) {
    return {"ids", sandbox::is_only_user(cage->space->user->id()), "a user number of its own"};
  }
  const bool own_namespace = cage != nullptr && cage->space->namespaces.user;
  return {"ids", own_namespace,
          own_namespace ? "a user namespace of its own" : "the same user as the host program"};
}

}  // namespace

protocol::ResourceLimits limits_in(const Cage* cage, const protocol::ResourceLimits& limits) {
  protocol::ResourceLimits counted = limits;
  if (!counts_tasks(cage)) counted.tasks.reset();
  // In a user namespace of its own the cage's init is counted too.
  if (counted.tasks && cage->space->namespaces.user) ++*counted.tasks;
  return counted;
}

std::vector<Layer> observed_layers(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                                   const Cage* cage) {
  if (request.mode == protocol::ForkMode::bare) {
    return {{"rlimits", false, "not asked for"}};
  }
  return {
      pid_namespace(facts, cage),
      mounts(facts, request, cage),
      ids(cage),
      {"network", facts.shared.network, facts.shared.detail},
      {"ipc", facts.shared.ipc, facts.shared.ipc ? "" : "the machine's System V IPC is in reach"},
      {"no_new_privs", sandbox::new_privileges_are_forbidden(), ""},
      {"capabilities", sandbox::has_no_capabilities(), ""},
      {"process_group", ::getsid(0) == ::getpid(), ""},
      {"descriptors", sandbox::descriptors_are_exact(), ""},
      {"rlimits", sandbox::limits_are_set(limits_in(cage, request.limits), facts.base_data_bytes),
       limits_detail(cage, request.limits)},
      {"landlock", sandbox::landlock_is_seen(), facts.landlock->detail()},
      {"seccomp", sandbox::filter_is_seen(), ""},
  };
}

}  // namespace cellblock::zygote

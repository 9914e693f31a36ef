#include "zygote/layer_report.hpp"

#include <unistd.h>

#include "sandbox/capabilities.hpp"
#include "sandbox/descriptors.hpp"
#include "sandbox/no_new_privileges.hpp"
#include "sandbox/pid_namespace.hpp"
#include "sandbox/resource_limits.hpp"

namespace cellblock::zygote {
namespace {

constexpr const char* kNotBuilt = "not built yet";

const char* limits_detail(const protocol::ForkRequest& request) {
  if (request.limits.data_bytes && !sandbox::kLimitsMemory) {
    return "without the memory limit, which AddressSanitizer does not allow";
  }
  return "";
}

}  // namespace

std::vector<Layer> observed_layers(const ZygoteFacts& facts, const protocol::ForkRequest& request,
                                   Caged caged) {
  const bool confined = request.mode != protocol::ForkMode::bare;
  const bool in_cage = caged == Caged::yes && sandbox::is_first_of_cage();
  const char* const not_asked = confined ? "" : "not asked for";
  const char* const no_cage =
      confined ? "no cage: this machine or its placement allows none" : not_asked;
  return {
      {"pid_namespace", in_cage, in_cage ? "" : no_cage},
      {"user_namespace", facts.in_user_namespace, facts.in_user_namespace ? "the zygote's" : ""},
      {"no_new_privs", sandbox::new_privileges_are_forbidden(), not_asked},
      {"capabilities", sandbox::has_no_capabilities(), not_asked},
      {"process_group", ::getsid(0) == ::getpid(), not_asked},
      {"descriptors", sandbox::descriptors_are_exact(), ""},
      {"rlimits", confined && sandbox::limits_are_set(request.limits, facts.base_data_bytes),
       confined ? limits_detail(request) : not_asked},
      {"mounts", false, kNotBuilt},
      {"network", false, kNotBuilt},
      {"landlock", false, kNotBuilt},
      {"seccomp", false, kNotBuilt},
  };
}

}  // namespace cellblock::zygote

#include "host/isolation.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace cellblock::host {
namespace {

/// A thing that must be held, and the layers each of which holds it alone. The order is that of
/// the sentence in which the first one that is not held is told.
struct Need {
  std::string_view thing;
  std::vector<std::string_view> held_by;
};

const std::vector<Need>& needs() {
  static const std::vector<Need> list{
      {"the kernel's surface", {"seccomp"}},   {"files", {"mounts", "landlock"}},
      {"the network", {"network", "seccomp"}}, {"processes", {"pid_namespace", "seccomp"}},
      {"memory", {"cgroup", "rlimits"}},
  };
  return list;
}

constexpr std::string_view kNamespacesRemedy =
    "run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
    "user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_userns=0; in a "
    "container also its runtime's seccomp profile)";

std::string_view remedy_for(std::string_view layer) {
  struct Remedy {
    std::string_view layer;
    std::string_view text;
  };
  static constexpr std::array kRemedies{
      Remedy{"pid_namespace", kNamespacesRemedy},
      Remedy{"mounts", kNamespacesRemedy},
      Remedy{"ids", kNamespacesRemedy},
      Remedy{"network", kNamespacesRemedy},
      Remedy{"ipc", kNamespacesRemedy},
      Remedy{"landlock", "use Linux 5.13 or newer with landlock in the kernel's lsm= list"},
      Remedy{"seccomp", "use a kernel with CONFIG_SECCOMP_FILTER"},
      Remedy{"cgroup",
             "run as root, or in a delegated cgroup (systemd-run --user --scope -p Delegate=yes)"},
      Remedy{"rlimits", "raise the hard limits that the host program runs under (ulimit -H)"},
  };
  const auto found = std::find_if(kRemedies.begin(), kRemedies.end(),
                                  [layer](const Remedy& r) { return r.layer == layer; });
  return found == kRemedies.end() ? std::string_view() : found->text;
}

const Layer* find(const std::vector<Layer>& layers, std::string_view name) {
  const auto found = std::find_if(layers.begin(), layers.end(),
                                  [name](const Layer& layer) { return layer.name == name; });
  return found == layers.end() ? nullptr : &*found;
}

bool is_held(const Need& need, const std::vector<Layer>& layers) {
  return std::any_of(need.held_by.begin(), need.held_by.end(), [&](std::string_view name) {
    const Layer* layer = find(layers, name);
    return layer != nullptr && layer->on;
  });
}

const Need* first_unheld(const std::vector<Layer>& layers) {
  const auto found = std::find_if(needs().begin(), needs().end(),
                                  [&](const Need& need) { return !is_held(need, layers); });
  return found == needs().end() ? nullptr : &*found;
}

std::string level_of(const std::vector<Layer>& layers) {
  const auto is_on = [](const Layer& layer) { return layer.on; };
  if (std::none_of(layers.begin(), layers.end(), is_on)) return "none";
  if (first_unheld(layers) != nullptr) return "partial";
  return std::all_of(layers.begin(), layers.end(), is_on) ? "full" : "reduced";
}

}  // namespace

IsolationReport judge_isolation(std::vector<Layer> layers) {
  for (Layer& layer : layers) {
    if (!layer.on) layer.remedy = remedy_for(layer.name);
  }
  std::string level = level_of(layers);
  return {.level = std::move(level), .layers = std::move(layers)};
}

Expected<void> check_isolation(const IsolationReport& report, Isolation asked) {
  if (asked == Isolation::none) return {};
  const Layer* seccomp = find(report.layers, "seccomp");
  const bool filtered = seccomp != nullptr && seccomp->on;
  const Need* need = first_unheld(report.layers);
  // Without the filter every call of the kernel is in reach: that is no effort.
  if (need == nullptr || (asked == Isolation::best_effort && filtered)) return {};
  std::string message =
      "This machine cannot give the isolation that the policy asks for: nothing "
      "holds " +
      std::string(need->thing) + ".";
  for (const std::string_view name : need->held_by) {
    const Layer* layer = find(report.layers, name);
    if (layer == nullptr) continue;
    message += " Layer " + layer->name + " is off";
    if (!layer->detail.empty()) message += " (" + layer->detail + ")";
    if (!layer->remedy.empty()) message += ": " + layer->remedy;
    message += ".";
  }
  message += asked == Isolation::required ? " Or set the policy's isolation to \"best_effort\"."
                                          : " Or set the policy's isolation to \"none\".";
  return Error{ErrorKind::isolation_unavailable, std::move(message)};
}

}  // namespace cellblock::host

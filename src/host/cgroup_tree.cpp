#include "host/cgroup_tree.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "host/cgroup_v1.hpp"
#include "host/cgroup_v2.hpp"

namespace cellblock::host {
namespace {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

/// What a session goes without, in the policy's words.
std::string_view limit_name(CgroupController controller) {
  switch (controller) {
    case CgroupController::memory:
      return "memory beyond RLIMIT_DATA";
    case CgroupController::pids:
      return "max_threads and max_processes";
    default:
      return "max_cpus";
  }
}

std::string describe(std::string_view version, const CgroupPlaces& places,
                     const std::vector<std::string>& problems) {
  std::vector<std::string> held;
  std::vector<std::string> missing;
  for (const auto controller :
       {CgroupController::memory, CgroupController::pids, CgroupController::cpu}) {
    if (places.find(controller) != nullptr) {
      held.emplace_back(to_string(controller));
    } else {
      missing.emplace_back(limit_name(controller));
    }
  }
  std::string text = std::string(version) + ": " + join(held, ", ");
  if (!missing.empty()) {
    text += "; not enforced: " + join(missing, ", ") + " (" + join(problems, "; ") + ")";
  }
  return text;
}

}  // namespace

Expected<std::unique_ptr<CgroupTree>> CgroupTree::create(const CgroupView& view,
                                                         const std::string& name) {
  std::vector<std::string> problems;
  for (const auto version : {Version::v2, Version::v1}) {
    std::vector<std::string> found;
    CgroupPlaces places = version == Version::v2 ? find_places_v2(view, name, found)
                                                 : find_places_v1(view, name, found);
    if (!places.folders().empty()) {
      return std::unique_ptr<CgroupTree>(new CgroupTree(version, std::move(places), found));
    }
    problems.insert(problems.end(), found.begin(), found.end());
  }
  return Error{ErrorKind::isolation_unavailable,
               "no control groups (" + join(problems, "; ") +
                   "), so max_cpus is not enforced and memory by RLIMIT_DATA alone: start the "
                   "program in a delegated group (systemd: Delegate=yes), or as root"};
}

CgroupTree::CgroupTree(Version version, CgroupPlaces places,
                       const std::vector<std::string>& problems)
    : version_(version),
      places_(std::make_shared<const CgroupPlaces>(std::move(places))),
      description_(describe(version == Version::v1 ? "v1" : "v2", *places_, problems)) {}

Expected<std::shared_ptr<SessionCgroup>> CgroupTree::make() {
  const std::string name = "session-" + std::to_string(next_name_++);
  std::shared_ptr<SessionCgroup> group;
  if (version_ == Version::v1) {
    group = std::make_shared<SessionCgroupV1>(places_, name);
  } else {
    group = std::make_shared<SessionCgroupV2>(places_, name);
  }
  if (auto made = group->make(); !made) return std::move(made).error();
  return group;
}

bool CgroupTree::remove_abandoned() const {
  const auto& folders = places_->folders();
  // Every folder's parent is looked at, whatever the first one says.
  return std::count_if(folders.begin(), folders.end(), [](const CgroupFolder& folder) {
           return !remove_abandoned_cgroups(folder.parent());
         }) == 0;
}

}  // namespace cellblock::host

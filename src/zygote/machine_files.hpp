// Files of the machine that a policy shows to its sessions, beside the minimal root.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"
#include "sandbox/file_view.hpp"
#include "sandbox/host_mounts.hpp"

namespace cellblock::zygote {

/// A tree to be attached at an absolute path that is there.
struct ShownPath {
  base::UniqueFd tree;
  std::string path;
};

class MachineFiles final {
 public:
  MachineFiles(sandbox::HostMounts host, sandbox::FileView view);

  /// HostMounts::clone().
  Expected<base::UniqueFd> clone(const std::string& path, std::uint64_t attributes) {
    return host_.clone(path, attributes);
  }

  /// The paths, and those of the view that lie below /tmp, read-only at their own places, each with
  /// a place to mount it on. `temporary` is the tmpfs that will be the cage's /tmp. What other
  /// sessions see of it is one empty file or folder: the first part of the path that the root has
  /// not. Error kind: host_error; a clause.
  Expected<std::vector<ShownPath>> show(std::vector<std::string> paths, int temporary);

 private:
  Expected<std::string> place_for(const std::string& path, int tree);

  sandbox::HostMounts host_;
  sandbox::FileView view_;  // what the root shows
  std::vector<std::string> in_temporary_;
  std::set<std::string> places_;  // made in the root so far
};

}  // namespace cellblock::zygote

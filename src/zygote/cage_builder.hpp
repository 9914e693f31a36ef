// Cages: what a session is forked into.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"
#include "protocol/messages.hpp"
#include "sandbox/cage.hpp"
#include "sandbox/ids.hpp"
#include "zygote/cage_space.hpp"
#include "zygote/machine_files.hpp"
#include "zygote/options.hpp"

namespace cellblock::zygote {

/// As one of its sessions has it: with a pid namespace of its own, so that what ends one session
/// with all its processes touches no other.
struct Cage {
  sandbox::CageInit init;
  std::shared_ptr<CageSpace> space;
  base::UniqueFd workspace;  ///< the new tmpfs, for the host; nothing for a folder of the machine
};

/// Whom a cage's init and its tmpfs belong to is settled when it is made; what the policy asks of
/// them is this.
struct CageRequest {
  protocol::WorkspacePlan workspace;
  std::vector<std::string> read_paths;

  friend bool operator==(const CageRequest&, const CageRequest&) = default;
};

/// Makes cages where the machine allows it, and says why where it does not.
class CageBuilder final {
 public:
  /// Tries one cage out. The options' descriptors stay the caller's. Needs /proc.
  explicit CageBuilder(const Options& options);

  [[nodiscard]] bool available() const { return starter_.has_value(); }
  /// Why not; empty when available.
  [[nodiscard]] const std::string& detail() const { return detail_; }

  /// From here on cages have mounts of their own, in copies of this process's minimal root; the
  /// machine's other files come from `machine`. Tries one out; on an error this process is of no
  /// use. Precondition: available(), the root entered.
  Expected<void> use_minimal_root(MachineFiles machine);
  [[nodiscard]] bool has_mounts() const { return machine_.has_value(); }

  /// The prepared cage when it fits, else a new one. Precondition, as for leave(): available().
  Expected<Cage> take(const CageRequest& request);
  /// For one more session in the cage of a session that lives. Nothing: it has just ended.
  /// Precondition as for take().
  Expected<std::optional<Cage>> join(const Cage& other);
  /// Makes a cage ahead for one more request like the last. What is no longer wanted is killed.
  void prepare();

  /// Between these two, forks land in the cage. False from leave(): never fork again.
  [[nodiscard]] static bool enter(const Cage& cage) {
    return !sandbox::CageStarter::enter(cage.init);
  }
  [[nodiscard]] bool leave() const { return !starter_->leave(); }

 private:
  void cages_have(sandbox::CageNamespaces namespaces);
  /// Empty, or what does not work.
  std::string try_out();
  Expected<Cage> build(const CageRequest& request);
  Expected<Cage> build_with_mounts(const CageRequest& request);

  base::UniqueFd image_;
  base::UniqueFd self_;
  base::UniqueFd proc_;
  int liveness_fd_;
  std::optional<sandbox::CageStarter> starter_;
  std::optional<MachineFiles> machine_;
  std::shared_ptr<sandbox::SessionIds> ids_;
  std::string detail_;
  bool without_ids_;

  struct Prepared {
    Prepared(CageRequest asked, Cage made) : request(std::move(asked)), cage(std::move(made)) {}
    CageRequest request;
    Cage cage;
  };
  CageRequest last_request_;
  std::optional<Prepared> prepared_;
};

}  // namespace cellblock::zygote

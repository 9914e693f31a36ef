// Cages: what a session is forked into.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/unique_fd.hpp"
#include "cellblock/expected.hpp"
#include "sandbox/pid_namespace.hpp"

namespace cellblock::zygote {

using Cage = sandbox::CageInit;

/// Makes cages where the machine allows it, and says why where it does not.
class CageBuilder final {
 public:
  /// Tries one cage out. `liveness_fd` stays the caller's.
  explicit CageBuilder(int liveness_fd);

  [[nodiscard]] bool available() const { return namespaces_.has_value(); }
  /// Why not; empty when available.
  [[nodiscard]] const std::string& detail() const { return detail_; }

  /// Precondition, as for leave(): available().
  Expected<Cage> build();
  /// Between these two, forks land in the cage. False from leave(): never fork again.
  [[nodiscard]] static bool enter(const Cage& cage) { return !sandbox::PidNamespaces::enter(cage); }
  [[nodiscard]] bool leave() const { return !namespaces_->leave(); }

 private:
  void try_out();

  base::UniqueFd image_;
  base::UniqueFd self_;
  std::optional<sandbox::PidNamespaces> namespaces_;
  std::string detail_;
};

}  // namespace cellblock::zygote

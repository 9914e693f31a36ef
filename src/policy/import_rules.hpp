// What user code may import: the import guard's one decision.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cellblock::policy {

/// Parts that no package brings along: they must be listed themselves (allowed_imports.txt).
const std::vector<std::string>& left_out_imports();

/// Pure; the names that were given need not be sorted.
class ImportRules final {
 public:
  enum class Verdict {
    whole,   ///< the module and everything below it
    partly,  ///< the module, but not all that is below it
    refused,
  };

  ImportRules() = default;
  /// A name stands for the package with its submodules, a dotted one for that part (its parents are
  /// then importable too, without their other parts). A module `_x` that implements `x` goes with
  /// it. None: nothing is allowed.
  explicit ImportRules(std::vector<std::string> allowed);

  /// `name` is absolute, for example "xml.etree".
  [[nodiscard]] Verdict judge(std::string_view name) const;
  [[nodiscard]] bool allows(std::string_view name) const { return judge(name) != Verdict::refused; }
  [[nodiscard]] const std::vector<std::string>& listed() const { return allowed_; }

 private:
  [[nodiscard]] bool lists(std::string_view name) const;
  [[nodiscard]] bool lists_a_part_of(std::string_view name) const;

  std::vector<std::string> allowed_;
};

/// The top-level names of `installed` that the list allows, in order.
std::vector<std::string> allowed_and_installed(const std::vector<std::string>& allowed,
                                               const std::vector<std::string>& installed);

}  // namespace cellblock::policy

#include "policy/import_rules.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace cellblock::policy {
namespace {

bool is_below(std::string_view name, std::string_view parent) {
  return name.size() > parent.size() && name.substr(0, parent.size()) == parent &&
         name[parent.size()] == '.';
}

bool is_left_out(std::string_view name) {
  const auto& names = left_out_imports();
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_left_out_parts(std::string_view name) {
  const auto& names = left_out_imports();
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& part) { return is_below(part, name); });
}

}  // namespace

ImportRules::ImportRules(std::vector<std::string> allowed) : allowed_(std::move(allowed)) {
  std::sort(allowed_.begin(), allowed_.end());
}

ImportRules::Verdict ImportRules::judge(std::string_view name) const {
  for (std::string_view part = name;;) {
    // The longest name that says something decides.
    if (lists(part)) return has_left_out_parts(name) ? Verdict::partly : Verdict::whole;
    if (is_left_out(part)) break;
    const auto dot = part.rfind('.');
    if (dot == std::string_view::npos) break;
    part = part.substr(0, dot);
  }
  if (lists_a_part_of(name)) return Verdict::partly;
  const bool is_private = name.size() > 1 && name[0] == '_' && name[1] != '_' &&
                          name.find('.') == std::string_view::npos;
  return is_private ? judge(name.substr(1)) : Verdict::refused;
}

bool ImportRules::lists(std::string_view name) const {
  return std::binary_search(allowed_.begin(), allowed_.end(), name, std::less<>());
}

bool ImportRules::lists_a_part_of(std::string_view name) const {
  const auto next = std::upper_bound(allowed_.begin(), allowed_.end(), name, std::less<>());
  return next != allowed_.end() && is_below(*next, name);
}

std::vector<std::string> allowed_and_installed(const std::vector<std::string>& allowed,
                                               const std::vector<std::string>& installed) {
  const ImportRules rules(allowed);
  std::vector<std::string> both;
  std::copy_if(installed.begin(), installed.end(), std::back_inserter(both),
               [&](const std::string& name) { return name[0] != '_' && rules.allows(name); });
  std::sort(both.begin(), both.end());
  return both;
}

}  // namespace cellblock::policy

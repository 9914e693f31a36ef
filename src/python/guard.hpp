// What one interpreter's guard knows and counts. For the sources of src/python only; GIL held.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "policy/import_rules.hpp"
#include "python/audit_events.hpp"
#include "python/code_origin.hpp"
#include "python/py_ref.hpp"

namespace cellblock::python {

class Guard final {
 public:
  void activate(policy::ImportRules rules, CodeOrigins origins, PyRef refusal);
  void deactivate() { refusal_ = PyRef(); }
  [[nodiscard]] bool active() const { return static_cast<bool>(refusal_); }
  [[nodiscard]] const policy::ImportRules& rules() const { return rules_; }
  [[nodiscard]] bool lifts(const AuditedCall& call) const {
    return !call.lifted_by.empty() && rules_.allows(call.lifted_by);
  }

  /// Who is behind an import that the rules refuse to user code. `by_name`: the import was a call
  /// of a function, which a library may have been given instead of calling it by its name.
  [[nodiscard]] Origin importer(bool by_name) const;
  /// The same for a finder's call: what C code looks for is a library's need, or was judged before.
  [[nodiscard]] Origin seeker() const;
  [[nodiscard]] Origin caller_of(const AuditedCall& call) const;

  /// Sets the exception and counts. False: the module is not there, nothing to refuse.
  bool refuse_import(std::string_view name);
  void refuse_call(std::string_view event);
  void count(std::string_view event);
  std::map<std::string, std::uint64_t> take_events();

  [[nodiscard]] PyObject* refusal() const { return refusal_.get(); }

 private:
  bool raise(const char* kind, std::string_view name);

  policy::ImportRules rules_;
  CodeOrigins origins_;
  PyRef refusal_;
  std::map<std::string, std::uint64_t, std::less<>> events_;
};

}  // namespace cellblock::python

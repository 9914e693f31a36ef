// The import guard of one interpreter: guidance for who writes the code, and telemetry. It keeps
// nobody in: that is the kernel's part.
//
// The builtin module `_cellblock_guard`:
//   __import__, import_module   as the originals, for what the rules allow whoever asks
//   find_spec(name, ...)        a finder for sys.meta_path that finds nothing and refuses
//   allows(name) -> bool        what the rules say of a dotted name
//   refuse(name) -> None        raises if user code may not import it, and counts
//   refuse_call(name) -> None   raises for a call that the audit hook would refuse, and counts
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cellblock/expected.hpp"
#include "python/code_origin.hpp"

struct _object;  // PyObject

namespace cellblock::python {

/// Before the interpreter starts: the module, and the audit hook, which does nothing before the
/// first activation. Where an interpreter runs already, only the hook is added.
Expected<void> register_import_guard();

/// What PyModule_FromDefAndSpec takes, for interpreters that started without it.
struct _object* import_guard_definition();

/// Begins to judge what the calling interpreter does. `module` is its `_cellblock_guard`;
/// `refusal(kind, name)` makes the exception, or returns None for a module that is not installed
/// anyway. False with an exception set.
bool activate_import_guard(struct _object* module, const std::vector<std::string>& allowed_imports,
                           const std::string& workspace, Strangers strangers,
                           struct _object* refusal);
void deactivate_import_guard(struct _object* module);

/// The refusals, and the calls of libraries that would be, since the last time it was asked. Few
/// names, however many there were.
std::map<std::string, std::uint64_t> take_policy_events(struct _object* module);

}  // namespace cellblock::python

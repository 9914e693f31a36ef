// Values on their way into the runtime, and the replies that stand in for the runtime's own when
// it fails. For the sources of src/python only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages.hpp"
#include "python/py_ref.hpp"
#include "python/raised.hpp"

namespace cellblock::python {

/// Invalid UTF-8 is replaced. Null with an exception set on failure, as all below.
PyRef to_text(std::string_view text);
PyRef to_list(const std::vector<std::string>& texts);
PyRef to_dict(const protocol::SessionConfig& config);

/// `container[key]` as a map of strings; what is no string is left out.
std::map<std::string, std::string> to_string_map(PyObject* container, const char* key);
std::vector<Helper> to_helpers(PyObject* container, const char* key);
/// `container[key]` as a list of strings, likewise.
std::vector<std::string> to_strings(PyObject* container, const char* key);

/// MessagePack bodies.
std::string execute_reply_of(const Raised& raised, std::uint64_t cpu_us);
std::string no_completions(std::uint64_t cursor);
std::string nothing_found();
std::string not_known_to_be_complete();
std::string no_variables();
std::string empty_map();

}  // namespace cellblock::python

// An exception that the runtime let out, as text. For the sources of src/python only.
#pragma once

#include <string>

namespace cellblock::python {

struct Raised {
  std::string name;   ///< the type's
  std::string value;  ///< its str(), empty if that fails
  bool interrupted = false;

  /// "Name: value"
  [[nodiscard]] std::string sentence() const { return value.empty() ? name : name + ": " + value; }
};

/// Takes the current exception; afterwards none is set.
Raised take_raised();

}  // namespace cellblock::python

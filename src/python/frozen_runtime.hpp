// The package cellblock_runtime, compiled at build time by the Python that is embedded.
#pragma once

#include <span>

namespace cellblock::python {

struct FrozenSource {
  const char* name;
  const unsigned char* code;  // marshalled
  int size;
  bool is_package;
};

/// Defined in the generated source (freeze_runtime.py).
std::span<const FrozenSource> frozen_runtime();

}  // namespace cellblock::python

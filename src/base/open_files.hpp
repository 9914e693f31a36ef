// How many descriptors this process may have.
#pragma once

#include <cstddef>

namespace cellblock::base {

/// Raises the soft limit to the hard one, where that is possible; gives what holds now.
std::size_t raise_open_files_limit();

}  // namespace cellblock::base
